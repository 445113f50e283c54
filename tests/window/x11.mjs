// What a window manager or a person's panel says to a display: which windows there are, and that one shall close. Speaks
// the X protocol itself, so that no window manager is needed.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

const GET_ATTRIBUTES = 3;
const GET_GEOMETRY = 14;
const QUERY_TREE = 15;
const INTERN_ATOM = 16;
const GET_PROPERTY = 20;
const SEND_EVENT = 25;
const GET_IMAGE = 73;
const CLIENT_MESSAGE = 33;
const VIEWABLE = 2;
const Z_PIXMAP = 2;
const ALL_PLANES = 0xffffffff;

const padded = (length) => (length + 3) & ~3;

/** A connection to a display of this machine, as `:7`. */
export class Display {
  static async open(name) {
    const socket = connect(`/tmp/.X11-unix/X${name.replace(/^:/, '')}`);
    await once(socket, 'connect');
    const display = new Display(socket);
    // Little-endian, version 11.0, no authority.
    socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    const head = await display.take(8);
    const setup = await display.take(head.readUInt16LE(6) * 4);
    if (head[0] !== 1) throw new Error(`the display refuses: ${setup.toString('latin1')}`);
    const vendor = padded(setup.readUInt16LE(16));
    display.root = setup.readUInt32LE(32 + vendor + setup[21] * 8);
    return display;
  }

  constructor(socket) {
    this.socket = socket;
    this.bytes = Buffer.alloc(0);
    this.atoms = new Map();
    this.last = Promise.resolve();
    socket.on('data', (bytes) => {
      this.bytes = Buffer.concat([this.bytes, bytes]);
      this.socket.emit('more');
    });
    socket.on('error', () => {});
    // Each wait for more listens for the end as well.
    socket.setMaxListeners(0);
  }

  close() {
    this.socket.destroy();
  }

  /** The windows of programs, the ones at the back first: title, whether it can be seen, whether it is a dialog. */
  async windows() {
    const reply = await this.ask(QUERY_TREE, 0, [this.root]);
    const count = reply.readUInt16LE(16);
    const found = [];
    for (let at = 0; at < count; at += 1) {
      const id = reply.readUInt32LE(32 + at * 4);
      const window = await this.window(id).catch(() => null);
      if (window) found.push(window);
    }
    return found;
  }

  /** Asks the program to close its window, as the button of the frame does. */
  async closeWindow(id) {
    const event = Buffer.alloc(32);
    event[0] = CLIENT_MESSAGE;
    event[1] = 32;
    event.writeUInt32LE(id, 4);
    event.writeUInt32LE(await this.atom('WM_PROTOCOLS'), 8);
    event.writeUInt32LE(await this.atom('WM_DELETE_WINDOW'), 12);
    const request = Buffer.alloc(12);
    request[0] = SEND_EVENT;
    request.writeUInt16LE(11, 2);
    request.writeUInt32LE(id, 4);
    this.socket.write(Buffer.concat([request, event]));
    // An answer to a later request says that this one has arrived.
    await this.ask(GET_GEOMETRY, 0, [this.root]);
  }

  /** What is drawn in a window, or in that much of its upper left corner: a hash of it, and how many colours it has. */
  async picture(id, part = null) {
    const { width, height } = part ?? (await this.window(id));
    const size = (height << 16) | width;
    const reply = await this.ask(GET_IMAGE, Z_PIXMAP, [id, 0, size, ALL_PLANES]);
    const bytes = reply.subarray(32);
    const colours = new Set();
    for (let at = 0; at + 4 <= bytes.length; at += 4) colours.add(bytes.readUInt32LE(at));
    return { hash: createHash('sha256').update(bytes).digest('hex'), colours: colours.size };
  }

  async window(id) {
    const title = await this.property(id, '_NET_WM_NAME');
    if (title.length === 0) return null;
    const attributes = await this.ask(GET_ATTRIBUTES, 0, [id]);
    const type = await this.property(id, '_NET_WM_WINDOW_TYPE');
    const dialog = await this.atom('_NET_WM_WINDOW_TYPE_DIALOG');
    const geometry = await this.ask(GET_GEOMETRY, 0, [id]);
    return {
      id,
      title: title.toString('utf8'),
      seen: attributes[26] === VIEWABLE,
      dialog: type.length >= 4 && type.readUInt32LE(0) === dialog,
      x: geometry.readInt16LE(12),
      y: geometry.readInt16LE(14),
      width: geometry.readUInt16LE(16),
      height: geometry.readUInt16LE(18),
    };
  }

  async property(id, name) {
    const reply = await this.ask(GET_PROPERTY, 0, [id, await this.atom(name), 0, 0, 1024]);
    const bytes = (reply.readUInt32LE(16) * reply[1]) / 8;
    return reply.subarray(32, 32 + bytes);
  }

  async atom(name) {
    if (!this.atoms.has(name)) {
      const text = Buffer.alloc(padded(name.length));
      text.write(name, 'latin1');
      const head = Buffer.alloc(8);
      head[0] = INTERN_ATOM;
      head.writeUInt16LE(2 + text.length / 4, 2);
      head.writeUInt16LE(name.length, 4);
      this.atoms.set(name, (await this.exchange(Buffer.concat([head, text]))).readUInt32LE(8));
    }
    return this.atoms.get(name);
  }

  ask(code, detail, words) {
    const request = Buffer.alloc(4 + words.length * 4);
    request[0] = code;
    request[1] = detail;
    request.writeUInt16LE(1 + words.length, 2);
    words.forEach((word, at) => request.writeUInt32LE(word, 4 + at * 4));
    return this.exchange(request);
  }

  /** One request after the other, each with its reply. */
  exchange(request) {
    const reply = this.last.then(async () => {
      this.socket.write(request);
      for (;;) {
        const head = await this.take(32);
        if (head[0] === 0) throw new Error(`the display answers with error ${head[1]} to request ${request[0]}`);
        if (head[0] === 1) return Buffer.concat([head, await this.take(head.readUInt32LE(4) * 4)]);
      }
    });
    this.last = reply.catch(() => {});
    return reply;
  }

  async take(length) {
    while (this.bytes.length < length) {
      if (this.socket.destroyed) throw new Error('the display is gone');
      await Promise.race([once(this.socket, 'more'), once(this.socket, 'close')]);
    }
    const taken = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    return taken;
  }
}
