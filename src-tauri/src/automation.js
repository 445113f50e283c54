// Runs before the page, under WebDriver only: keeps what goes wrong in it.
(() => {
  const problems = [];
  Object.defineProperty(window, '__problems', { value: problems });
  const text = (value) => (value instanceof Error ? `${value.message}\n${value.stack}` : String(value));
  addEventListener('error', (e) => problems.push(`error: ${e.message ?? e.target?.src ?? e.target?.href}`), true);
  addEventListener('unhandledrejection', (e) => problems.push(`unhandled rejection: ${text(e.reason)}`));
  document.addEventListener('securitypolicyviolation', (e) => {
    problems.push(`blocked by ${e.violatedDirective}: ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`);
  });
  const said = console.error;
  console.error = (...words) => {
    problems.push(`console: ${words.map(text).join(' ')}`);
    said.apply(console, words);
  };
})();
