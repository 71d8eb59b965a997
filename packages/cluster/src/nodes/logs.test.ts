import { expect, test } from "vitest";
import { Simulation, shell } from "./fixtures/simulation.js";
import { rule } from "./rules/check-rule.js";

const namespace = "default";

async function lines(simulation: Simulation, options: object = {}): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of simulation.cluster.client.pods.log("p", { namespace, ...options }))
    found.push(line);
  return found;
}

test("lines come at their rate, worked out when they are read", async () => {
  const logs = { lines: ["tick", "tock"], every: "10s" };
  await using simulation = await Simulation.start({ rules: [rule({}, { logs })] });
  await simulation.run();
  expect(await lines(simulation)).toEqual(["tick"]);
  await simulation.after(35);
  expect(await lines(simulation)).toEqual(["tick", "tock", "tick", "tock"]);
  expect(await lines(simulation, { tailLines: 1 })).toEqual(["tock"]);
  expect(await lines(simulation, { sinceSeconds: 15 })).toEqual(["tick", "tock"]);
  expect(await lines(simulation, { limitBytes: 7 })).toEqual(["tick", "to"]);
  expect(await lines(simulation, { timestamps: true, tailLines: 1 })).toEqual([
    expect.stringMatching(/^2026-01-01T00:00:3\d\.\d{9}Z tock$/),
  ]);
  await simulation.after(30 * 24 * 3600);
  expect(await lines(simulation)).toHaveLength(10_000);
});

test("lines are made by a function of their number", async () => {
  const logs = { lines: (index: number) => `request ${index}`, every: 500 };
  await using simulation = await Simulation.start({ rules: [rule({}, { logs })] });
  await simulation.run();
  await simulation.after(1);
  expect(await lines(simulation)).toEqual(["request 0", "request 1", "request 2"]);
});

test("a rule adds to the log of a running container", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(shell("echo hello; httpd"));
  simulation.cluster.simulate(rule({}, { logs: ["from the rule"] }));
  expect(await lines(simulation)).toEqual(["hello", "from the rule"]);
});

test("a followed log goes on until the container ends", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(shell("echo one; sleep 5; echo two; sleep 5; echo three"), { restartPolicy: "Never" });
  const following = lines(simulation, { follow: true });
  await simulation.after(20);
  expect(await following).toEqual(["one", "two", "three"]);
});

test("logs: a client that stops following leaves nothing behind", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({}, { logs: { lines: ["x"], every: "1s" } })],
  });
  await simulation.run();
  const stop = new AbortController();
  const log = simulation.cluster.client.pods.log("p", { namespace, follow: true, signal: stop.signal });
  expect((await log.next()).value).toBe("x");
  const before = simulation.clock.pending;
  const waiting = log.next();
  stop.abort();
  await expect(waiting).rejects.toThrow();
  await simulation.clock.settle();
  expect(simulation.clock.pending).toBeLessThanOrEqual(before);
});

test("the log before the last restart", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(shell("echo started; exit 1"));
  expect(await lines(simulation, { previous: true })).toEqual(["started"]);
});

test.each([
  [
    { image: "does-not-exist" },
    {},
    'container "c" in pod "p" is waiting to start: trying and failing to pull image',
  ],
  [{}, { previous: true }, 'previous terminated container "c" in pod "p" not found'],
])("%j with %j has no log", async (container, options, message) => {
  await using simulation = await Simulation.start();
  await simulation.run(container);
  await expect(lines(simulation, options)).rejects.toThrow(message);
});
