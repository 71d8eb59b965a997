import { spawn } from "node:child_process";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { LoopbackRelay } from "./loopback-relay.js";

/** Connects as another user, and prints whether anything came back. */
const script = `const s = require("net").connect(+process.argv[1], "127.0.0.1");
s.on("data", (d) => { console.log("answer " + d); process.exit(); }); s.on("close", () => { console.log("closed"); process.exit(); }); s.on("error", () => {});
s.write("hello"); setTimeout(() => process.exit(), 5000);`;

test("a relay passes bytes on, and closes with either end", async () => {
  const relay = new LoopbackRelay(async () => new PassThrough());
  try {
    const [host, port] = (await relay.address()).split(":");
    const socket = connect(Number(port), host);
    const answer = new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));
    socket.write("hello");
    expect(await answer).toBe("hello");
    socket.destroy();
  } finally {
    relay.close();
  }
});

test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")(
  "a relay refuses connections of other users of the machine (needs root on Linux to be one)",
  async () => {
    let opened = 0;
    const relay = new LoopbackRelay(async () => {
      opened += 1;
      return new PassThrough();
    });
    try {
      const port = (await relay.address()).split(":")[1] ?? "";
      const run = (uid: number) =>
        new Promise<string>((resolve) => {
          const child = spawn(process.execPath, ["-e", script, port], { uid, cwd: "/" });
          let output = "";
          child.stdout.on("data", (chunk) => {
            output += chunk;
          });
          child.once("close", () => resolve(output.trim()));
        });
      expect(await run(65_534)).toBe("closed");
      expect(opened).toBe(0);
      expect(await run(0)).toBe("answer hello");
    } finally {
      relay.close();
    }
  },
);
