//! The way to the collector: batches of spans by OTLP over HTTP, from a thread of their own. Made when the first session
//! that is traced begins.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use kandev_session::Notices;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SdkTracer, SdkTracerProvider, SpanData,
    SpanExporter as Export,
};
use tokio::runtime::Handle;

/// How long one batch may take.
const SEND_LIMIT: Duration = Duration::from_secs(3);
/// How long the end of a session waits for its last spans to be sent.
const FLUSH_LIMIT: Duration = Duration::from_secs(3);
/// Spans that wait to be sent, and that go together.
const QUEUE: usize = 2048;
const BATCH: usize = 128;

pub(crate) struct Traces {
    endpoint: String,
    service: (&'static str, &'static str),
    provider: OnceLock<SdkTracerProvider>,
    told: Arc<Told>,
}

/// Who hears that spans do not arrive. It is said once.
#[derive(Default)]
struct Told {
    already: AtomicBool,
    listener: Mutex<Option<Notices>>,
}

impl Traces {
    pub(crate) fn new(endpoint: &str, service: (&'static str, &'static str)) -> Self {
        Self {
            endpoint: endpoint.trim().trim_end_matches('/').to_owned(),
            service,
            provider: OnceLock::new(),
            told: Arc::default(),
        }
    }

    /// This session hears of what goes wrong from now on.
    pub(crate) fn tell(&self, notices: &Notices) {
        *lock(&self.told.listener) = Some(notices.clone());
    }

    pub(crate) fn tracer(&self) -> SdkTracer {
        self.provider
            .get_or_init(|| self.provider())
            .tracer("kandev")
    }

    /// Sends what the sessions that ended have left.
    pub(crate) async fn flush(&self) {
        self.wait(FLUSH_LIMIT, |provider| {
            let _ = provider.force_flush();
        })
        .await;
    }

    pub(crate) async fn close(&self, limit: Duration) {
        self.wait(limit, move |provider| {
            let _ = provider.shutdown_with_timeout(limit);
        })
        .await;
    }

    async fn wait(&self, limit: Duration, work: impl FnOnce(SdkTracerProvider) + Send + 'static) {
        if let Some(provider) = self.provider.get().cloned() {
            let working = tokio::task::spawn_blocking(move || work(provider));
            let _ = tokio::time::timeout(limit, working).await;
        }
    }

    fn provider(&self) -> SdkTracerProvider {
        let (name, version) = self.service;
        let resource = Resource::builder()
            .with_service_name(name)
            .with_attribute(KeyValue::new("service.version", version))
            .build();
        let builder = SdkTracerProvider::builder().with_resource(resource);
        match self.exporter() {
            Ok(exporter) => {
                let config = BatchConfigBuilder::default()
                    .with_max_queue_size(QUEUE)
                    .with_max_export_batch_size(BATCH)
                    .with_scheduled_delay(Duration::from_secs(1))
                    .build();
                let processor = BatchSpanProcessor::builder(exporter)
                    .with_batch_config(config)
                    .build();
                builder.with_span_processor(processor).build()
            }
            Err(reason) => {
                self.told.fail(&reason);
                builder.build()
            }
        }
    }

    fn exporter(&self) -> Result<Telling, String> {
        if !self.endpoint.starts_with("http://") {
            return Err(format!(
                "{} is no http address; a collector on this computer can pass them on to others",
                self.endpoint
            ));
        }
        let client = OnRuntime {
            client: Arc::new(HyperClient::with_default_connector(SEND_LIMIT, None)),
            runtime: Handle::current(),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(format!("{}/v1/traces", self.endpoint))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(SEND_LIMIT)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Telling {
            exporter,
            told: Arc::clone(&self.told),
        })
    }
}

impl Told {
    fn fail(&self, reason: &str) {
        if self.already.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(notices) = &*lock(&self.listener) {
            let text =
                format!("Traces cannot be sent: {reason}. The session goes on without them.");
            notices.tell("trace_export", text);
        }
    }
}

/// Says when spans do not arrive.
struct Telling {
    exporter: SpanExporter,
    told: Arc<Told>,
}

impl fmt::Debug for Telling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.exporter.fmt(formatter)
    }
}

impl Export for Telling {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let sent = self.exporter.export(batch).await;
        if let Err(error) = &sent {
            self.told.fail(&error.to_string());
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// The sending thread has no tokio of its own: requests are made on the runtime of the sessions.
#[derive(Debug)]
struct OnRuntime {
    client: Arc<HyperClient>,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = Arc::clone(&self.client);
        self.runtime
            .spawn(async move { client.send_bytes(request).await })
            .await?
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
