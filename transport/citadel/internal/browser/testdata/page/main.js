// What the page does: connect in both ways, say what there is to say, and report what came of it.

import { KIND, OverWebSocket, OverWebTransport, bytes, decode, encode } from "./citadel.js";

const ECHO = 200; // comes back the way it went
const KICK = 201; // asks to be thrown out
const settings = await (await fetch("settings.json")).json();
const report = [];

function check(condition, what) {
  if (!condition) throw new Error(what);
}

// begins tells the server how far the page has come, in case it never reports.
const begins = (name) => fetch("step", { method: "POST", body: name });

// step runs one part of the test and notes how it went.
async function step(name, fn) {
  await begins(name);
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("takes too long")), 30_000));
  try {
    await Promise.race([fn(), late]);
    report.push({ name, ok: true, detail: "" });
  } catch (err) {
    report.push({ name, ok: false, detail: String(err?.message ?? err) });
  }
}

// expect returns the next envelope, which must be of this kind.
async function expect(c, kind) {
  const e = await c.next();
  check(e.kind === kind, `got kind ${e.kind}, want ${kind}`);
  return e;
}

async function converse(name, connect, reliableOnly) {
  let c;
  await step(`${name}: connect`, async () => {
    c = await connect();
  });
  if (!c) return;

  await step(`${name}: guest`, async () => {
    await c.send(KIND.auth, new Uint8Array(0));
    const { body } = await expect(c, KIND.authResult);
    check(body.length === 1 && body[0] === 1, `the server answered ${body}`);
  });

  await step(`${name}: reliable envelopes`, async () => {
    for (let i = 0; i < 50; i++) await c.send(ECHO, bytes([32, i]));
    for (let i = 0; i < 50; i++) {
      const e = await expect(c, ECHO);
      check(e.reliable && String(e.body) === String(bytes([32, i])), `envelope ${i} came back as ${e.body}`);
    }
    const large = new Uint8Array(300_000).map((_, i) => i * 7);
    await c.send(ECHO, large);
    const back = (await expect(c, ECHO)).body;
    check(back.length === large.length && back.every((b, i) => b === large[i]), "a large envelope came back changed");
  });

  await step(`${name}: unreliable envelopes`, async () => {
    // One of a few may get lost.
    for (let i = 0; i < 20; i++) await c.sendDatagram(ECHO, bytes([32, i]));
    const e = await expect(c, ECHO);
    check(e.body.length === 4 && e.reliable === reliableOnly, `it came back reliably: ${e.reliable}`);
    // What follows must not take the others for its own.
    await c.send(ECHO, encode("over"));
    while (decode((await expect(c, ECHO)).body) !== "over");
  });

  // Of the datagrams some may still be under way.
  const next = async (kind) => {
    for (;;) {
      const e = await c.next();
      if (e.reliable) {
        check(e.kind === kind, `got kind ${e.kind}, want ${kind}`);
        return e;
      }
    }
  };

  await step(`${name}: RPC`, async () => {
    for (const [id, method, payload, status, answer] of [
      [7n, "shout", "ariadne", 0, "ARIADNE"],
      [2n ** 63n, "whisper", "", 1, null],
    ]) {
      await c.send(KIND.rpcRequest, bytes([64, id], [16, method.length], method, payload));
      const { body } = await next(KIND.rpcResponse);
      const view = new DataView(body.buffer);
      check(view.getBigUint64(0) === id, `an answer to ${view.getBigUint64(0)}`);
      check(view.getUint8(8) === status, `${method}: status ${view.getUint8(8)}`);
      const got = decode(body.slice(9));
      check(answer === null ? got.length > 0 : got === answer, `${method}: ${got}`);
    }
  });

  await step(`${name}: room`, async () => {
    const room = "crete";
    await c.send(KIND.roomCreate, bytes([16, room.length], room));
    const { body } = await next(KIND.roomJoined);
    const view = new DataView(body.buffer);
    const id = view.getBigUint64(0);
    const mapLen = view.getUint16(8);
    const map = decode(body.slice(10, 10 + mapLen));
    const modeLen = view.getUint16(10 + mapLen);
    const mode = decode(body.slice(12 + mapLen, 12 + mapLen + modeLen));
    check(map === "labyrinth" && mode === "hunt", `the room is ${map}, ${mode}`);
    await c.send(KIND.roomMapReady, bytes([64, id]));
  });

  await step(`${name}: silence`, async () => {
    await new Promise((resolve) => setTimeout(resolve, settings.silence));
    await c.send(ECHO, encode("still here"));
    check(decode((await next(ECHO)).body) === "still here", "something else comes back");
  });

  await step(`${name}: thrown out`, async () => {
    await c.send(KICK, new Uint8Array(0));
    const { body } = await next(KIND.goodbye);
    const view = new DataView(body.buffer);
    check(view.getUint32(0) === 0x101 && decode(body.slice(4)) === "go home", `goodbye says ${body}`);
    const how = await c.closed;
    check(how.code === (reliableOnly ? 4000 : 0) + 0x101 && how.reason === "go home", `closed with ${JSON.stringify(how)}`);
  });
}

await Promise.all([
  converse("WebSocket", () => OverWebSocket.connect(settings.ws), true),
  converse("WebTransport", () => OverWebTransport.connect(settings.wt, settings.hash), false),
]);

await step("WebSocket: page leaves", async () => {
  const c = await OverWebSocket.connect(settings.ws);
  await c.send(KIND.auth, new Uint8Array(0));
  await expect(c, KIND.authResult);
  c.close(0x102, "page leaves");
  await c.closed;
});

await step("WebTransport: page leaves", async () => {
  const c = await OverWebTransport.connect(settings.wt, settings.hash);
  await c.send(KIND.auth, new Uint8Array(0));
  await expect(c, KIND.authResult);
  c.close(0x102, "page leaves");
  await c.closed;
});

for (const [name, connect] of [
  ["WebSocket: foreign page", () => OverWebSocket.connect(settings.strictWS)],
  ["WebTransport: foreign page", () => OverWebTransport.connect(settings.strictWT, settings.hash)],
  ["WebTransport: other certificate", () => OverWebTransport.connect(settings.wt, "ab".repeat(32))],
]) {
  await step(name, async () => {
    let connected = true;
    try {
      await connect();
    } catch {
      connected = false;
    }
    check(!connected, "it got in");
  });
}

if (settings.wasm) {
  // The program reports by itself: see wasmclient.
  globalThis.citadelBegins = (name) => void begins(`wasm: ${name}`);
  globalThis.citadelReport = (name, ok, detail) => report.push({ name: `wasm: ${name}`, ok, detail });
  await step("wasm: program runs", async () => {
    const go = new Go();
    go.argv = ["client", JSON.stringify(settings)];
    const { instance } = await WebAssembly.instantiateStreaming(fetch("client.wasm"), go.importObject);
    await go.run(instance);
  });
}

await fetch("report", { method: "POST", body: JSON.stringify(report) });
