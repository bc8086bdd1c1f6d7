// A client as a page would write it by hand: the two transports, the framing, and the few bodies that the test
// needs. Everything is big-endian.

export const KIND = {
  rpcRequest: 3, rpcResponse: 4, auth: 5, authResult: 6,
  roomCreate: 21, roomJoined: 23, roomMapReady: 25,
  goodbye: 0xc003,
};

const text = new TextEncoder();
const plain = new TextDecoder("utf-8", { fatal: true });

export const encode = (s) => text.encode(s);
export const decode = (b) => plain.decode(b);

// bytes joins numbers of bits, given as [bits, value], strings and arrays of bytes.
export function bytes(...parts) {
  const all = [];
  for (const p of parts) {
    if (typeof p === "string") {
      all.push(...encode(p));
    } else if (p instanceof Uint8Array) {
      all.push(...p);
    } else {
      for (let shift = p[0] - 8; shift >= 0; shift -= 8) {
        all.push(Number((BigInt(p[1]) >> BigInt(shift)) & 0xffn));
      }
    }
  }
  return new Uint8Array(all);
}

export function frame(kind, body) {
  const b = new Uint8Array(6 + body.length);
  const view = new DataView(b.buffer);
  view.setUint32(0, 2 + body.length);
  view.setUint16(4, kind);
  b.set(body, 6);
  return b;
}

// Envelopes waits for what arrives, in order.
class Envelopes {
  #queue = [];
  #waiting = [];
  #end = null;

  put(e) {
    const w = this.#waiting.shift();
    if (w) w.resolve(e);
    else this.#queue.push(e);
  }

  end(err) {
    this.#end ??= err;
    for (const w of this.#waiting.splice(0)) w.reject(this.#end);
  }

  next() {
    if (this.#queue.length > 0) return Promise.resolve(this.#queue.shift());
    if (this.#end) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

// Deframer takes a stream of bytes apart.
class Deframer {
  #rest = new Uint8Array(0);

  *push(chunk) {
    const all = new Uint8Array(this.#rest.length + chunk.length);
    all.set(this.#rest);
    all.set(chunk, this.#rest.length);
    let at = 0;
    const view = new DataView(all.buffer);
    while (all.length - at >= 4) {
      const n = view.getUint32(at);
      if (all.length - at < 4 + n) break;
      yield { kind: view.getUint16(at + 4), body: all.slice(at + 6, at + 4 + n), reliable: true };
      at += 4 + n;
    }
    this.#rest = all.slice(at);
  }

  get empty() {
    return this.#rest.length === 0;
  }
}

export class OverWebSocket {
  #in = new Envelopes();

  static async connect(url) {
    const c = new OverWebSocket();
    c.ws = new WebSocket(url);
    c.ws.binaryType = "arraybuffer";
    c.closed = new Promise((resolve) => {
      c.ws.onclose = (e) => {
        c.#in.end(new Error(`closed with ${e.code}`));
        resolve({ code: e.code, reason: e.reason });
      };
    });
    c.ws.onmessage = (e) => {
      const d = new Deframer();
      for (const envelope of d.push(new Uint8Array(e.data))) c.#in.put(envelope);
      if (!d.empty) c.#in.end(new Error("a message ends inside an envelope"));
    };
    await new Promise((resolve, reject) => {
      c.ws.onopen = resolve;
      c.ws.onerror = () => reject(new Error("refused"));
    });
    return c;
  }

  async send(kind, body) {
    this.ws.send(frame(kind, body));
  }

  // There is nothing else than messages.
  async sendDatagram(kind, body) {
    this.ws.send(frame(kind, body));
  }

  next() {
    return this.#in.next();
  }

  close(code, reason) {
    this.ws.close(4000 + code, reason);
  }
}

export class OverWebTransport {
  #in = new Envelopes();

  static async connect(url, hash) {
    const c = new OverWebTransport();
    const value = Uint8Array.from(hash.match(/../g), (h) => parseInt(h, 16));
    c.wt = new WebTransport(url, { serverCertificateHashes: [{ algorithm: "sha-256", value }] });
    c.closed = c.wt.closed.then(
      (info) => ({ code: info.closeCode, reason: info.reason }),
      (err) => ({ code: -1, reason: String(err) }),
    );
    c.closed.then((how) => c.#in.end(new Error(`closed with ${how.code}`)));
    await c.wt.ready;
    c.out = (await c.wt.createUnidirectionalStream()).getWriter();
    c.datagrams = c.wt.datagrams.writable.getWriter();
    c.#readStreams();
    c.#readDatagrams();
    return c;
  }

  async #readStreams() {
    const streams = this.wt.incomingUnidirectionalStreams.getReader();
    try {
      for (;;) {
        const { done, value } = await streams.read();
        if (done) return;
        this.#readStream(value.getReader());
      }
    } catch (err) {
      this.#in.end(err);
    }
  }

  async #readStream(stream) {
    const d = new Deframer();
    try {
      for (;;) {
        const { done, value } = await stream.read();
        if (done) return;
        for (const envelope of d.push(value)) this.#in.put(envelope);
      }
    } catch (err) {
      this.#in.end(err);
    }
  }

  async #readDatagrams() {
    const datagrams = this.wt.datagrams.readable.getReader();
    try {
      for (;;) {
        const { done, value } = await datagrams.read();
        if (done) return;
        const view = new DataView(value.buffer, value.byteOffset);
        this.#in.put({ kind: view.getUint16(0), body: value.slice(2), reliable: false });
      }
    } catch (err) {
      this.#in.end(err);
    }
  }

  async send(kind, body) {
    await this.out.write(frame(kind, body));
  }

  async sendDatagram(kind, body) {
    await this.datagrams.write(bytes([16, kind], body));
  }

  next() {
    return this.#in.next();
  }

  close(code, reason) {
    this.wt.close({ closeCode: code, reason });
  }
}
