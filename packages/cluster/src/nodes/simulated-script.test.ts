import { expect, test } from "vitest";
import { scriptOf } from "./simulated-script.js";

const exit = (code: number) => ({ does: "exit", code });
const sleep = (milliseconds: number) => ({ does: "sleep", milliseconds });
const print = (text: string) => ({ does: "print", text });
const serve = { does: "serve" };

test.each([
  { command: undefined, steps: [serve] },
  { command: ["nginx", "-g", "daemon off;"], steps: [serve] },
  { command: ["/bin/true"], steps: [exit(0)] },
  { command: ["false"], steps: [exit(1)] },
  { command: ["sleep", "5"], steps: [sleep(5000), exit(0)] },
  { command: ["sleep", "infinity"], steps: [serve] },
  { command: ["sh", "-c", "exit 3"], steps: [exit(3)] },
  {
    command: ["/bin/sh", "-ec", "echo one two; sleep 1m && exit 2"],
    steps: [print("one two"), sleep(60_000), exit(2)],
  },
  { command: ["sh", "-c", "false; echo never"], steps: [exit(1)] },
  { command: ["sh", "-c", "echo 'up'; httpd -f"], steps: [print("up"), serve] },
  { command: ["bash", "-c", "echo done"], steps: [print("done"), exit(0)] },
  { command: ["sh", "-c", "sleep 60 && touch /tmp/done"], steps: [sleep(60_000), exit(0)] },
  { command: ["tail", "-f", "/dev/null"], steps: [serve] },
])("$command", ({ command, steps }) => {
  expect(scriptOf({ name: "c", ...(command ? { command } : {}) })).toEqual(steps);
});

test.each([
  [{ image: "busybox" }, [exit(0)]],
  [{ image: "docker.io/library/alpine:3.20" }, [exit(0)]],
  [{ image: "busybox", tty: true }, [serve]],
  [{ image: "busybox", command: ["sleep", "5"] }, [sleep(5000), exit(0)]],
  [{ image: "nginx:1.27" }, [serve]],
])("%o: an image that is but a shell ends when there is nothing to read", (container, steps) => {
  expect(scriptOf({ name: "c", ...container })).toEqual(steps);
});
