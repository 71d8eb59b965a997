import { expect, test } from "vitest";
import { Simulation } from "./fixtures/simulation.js";
import { rule } from "./rules/check-rule.js";

const httpGet = { port: 8080 };
const month = 30 * 24 * 3600;

test("a failing liveness probe restarts the container, with back-off, and says why", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({}, { probe: { liveness: { failsFrom: "1m" } } })],
  });
  const livenessProbe = { httpGet, periodSeconds: 10, failureThreshold: 3, initialDelaySeconds: 5 };
  await simulation.run({ livenessProbe });
  await simulation.after(84);
  expect(await simulation.container()).toMatchObject({ restartCount: 0, ready: true });
  await simulation.after(1);
  expect(await simulation.container()).toMatchObject({ restartCount: 1, state: { running: {} } });
  await simulation.after(85);
  expect((await simulation.container()).state?.waiting?.reason).toBe("CrashLoopBackOff");
  const events = await simulation.events();
  expect(events).toContain("Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 503");
  expect(events).toContain("Killing: Container c failed liveness probe, will be restarted");
});

test("a readiness probe that fails for a while takes the pod out and back in, without a restart", async () => {
  await using simulation = await Simulation.start({
    rules: [
      rule({}, { probe: { readiness: { failsFrom: "60s", failsUntil: "120s", message: "warming up" } } }),
    ],
  });
  await simulation.run({ readinessProbe: { httpGet, periodSeconds: 5, successThreshold: 2 } });
  expect(await simulation.isReady()).toBe(false);
  await simulation.after(5);
  expect(await simulation.isReady()).toBe(true);
  await simulation.after(64);
  expect(await simulation.isReady()).toBe(true);
  await simulation.after(1);
  expect(await simulation.isReady()).toBe(false);
  await simulation.after(55);
  expect(await simulation.isReady()).toBe(true);
  expect((await simulation.container()).restartCount).toBe(0);
  expect(await simulation.events()).toContain("Unhealthy: Readiness probe failed: warming up");
});

test("nothing is ready before its start-up probe has succeeded, and what never starts is restarted", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({ container: "c" }, { probe: { startup: "fail" } })],
  });
  const startupProbe = { httpGet, periodSeconds: 10, failureThreshold: 6 };
  await simulation.run({ startupProbe, livenessProbe: { httpGet } });
  await simulation.after(49);
  expect(await simulation.container()).toMatchObject({ started: false, ready: false, restartCount: 0 });
  await simulation.after(1);
  expect(await simulation.container()).toMatchObject({ restartCount: 1 });
  expect(await simulation.events()).toContain("Killing: Container c failed startup probe, will be restarted");
});

test("a function of time decides, asked at every period", async () => {
  const asked: number[] = [];
  const readiness = (elapsed: number): boolean => {
    asked.push(elapsed);
    return elapsed >= 20_000;
  };
  await using simulation = await Simulation.start({ rules: [rule({}, { probe: { readiness } })] });
  await simulation.run({ readinessProbe: { httpGet, periodSeconds: 10 } });
  await simulation.after(19);
  expect(await simulation.isReady()).toBe(false);
  await simulation.after(1);
  expect(await simulation.isReady()).toBe(true);
  expect(asked.slice(-3)).toEqual([0, 10_000, 20_000]);
});

test("a month of healthy probes leaves nothing to do", async () => {
  await using simulation = await Simulation.start({ controllers: ["scheduler", "serviceaccount"] });
  const probe = { httpGet, periodSeconds: 1 };
  await simulation.run({ livenessProbe: probe, readinessProbe: probe, startupProbe: probe });
  expect(await simulation.isReady()).toBe(true);
  const before = simulation.clock.pending;
  await simulation.after(month);
  expect(simulation.clock.pending).toBeLessThanOrEqual(before);
  expect(await simulation.container()).toMatchObject({ restartCount: 0, ready: true });
});

test("a probe of a port that the container does not name finds nothing: never ready, and never restarted", async () => {
  await using simulation = await Simulation.start();
  const probe = { httpGet: { port: "http" }, periodSeconds: 5, failureThreshold: 1 };
  const ports = [{ name: "metrics", containerPort: 9090 }];
  await simulation.run({ ports, readinessProbe: probe, livenessProbe: probe });
  await simulation.after(60);
  expect(await simulation.container()).toMatchObject({ restartCount: 0, ready: false, started: true });
  expect(await simulation.events()).toContain(
    'Unhealthy: Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "http": invalid syntax',
  );
});

test.each([
  ["by name", { port: "http" }],
  ["by number", { port: 9999 }],
])("a probe of a port given %s succeeds", async (_how, httpGet) => {
  await using simulation = await Simulation.start();
  await simulation.run({
    ports: [{ name: "http", containerPort: 8080 }],
    readinessProbe: { httpGet },
  });
  expect(await simulation.isReady()).toBe(true);
});

test("a web server by a rule is ready while the file it is probed for is there", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({ image: "httpd:*" }, { serves: "/srv/www", files: { "/srv/www/index.html": "hi" } })],
  });
  const probe = { httpGet: { port: 80, path: "/index.html" }, periodSeconds: 1, failureThreshold: 1 };
  const image = "httpd:2.4";
  await simulation.run({ image, readinessProbe: probe });
  expect(await simulation.isReady()).toBe(true);
  const exec = async (command: readonly string[]): Promise<void> => {
    const session = await simulation.cluster.client.pods.exec("p", command, { namespace: "default" });
    expect((await session.output()).exitCode).toBe(0);
  };
  await exec(["mv", "-v", "/srv/www/index.html", "/tmp/"]);
  await simulation.after(2);
  expect(await simulation.isReady()).toBe(false);
  expect(await simulation.events()).toContain(
    "Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404",
  );
  await exec(["mv", "-v", "/tmp/index.html", "/srv/www/"]);
  await simulation.after(2);
  expect(await simulation.isReady()).toBe(true);
});

test("a web server by a rule shows its folders", async () => {
  await using simulation = await Simulation.start({ rules: [rule({}, { serves: "/" })] });
  await simulation.run({ readinessProbe: { httpGet: { port: 80, path: "/?all" } } });
  expect(await simulation.isReady()).toBe(true);
});

test("a probe of a path that the web server does not have never succeeds", async () => {
  await using simulation = await Simulation.start({ rules: [rule({}, { serves: "/srv/www/" })] });
  await simulation.run({ readinessProbe: { httpGet: { port: 80, path: "/healthz" } } });
  await simulation.after(60);
  expect(await simulation.isReady()).toBe(false);
});

test.each([
  [
    "HTTP",
    { httpGet: { port: 81, path: "/x" } },
    'Get "http://IP:81/x": dial tcp IP:81: connect: connection refused',
  ],
  ["TCP", { tcpSocket: { port: 81 } }, "dial tcp IP:81: connect: connection refused"],
])("%s: a probe of a port that nobody listens on never succeeds", async (_kind, readinessProbe, message) => {
  await using simulation = await Simulation.start({ rules: [rule({}, { listens: [80] })] });
  const pod = await simulation.run({ readinessProbe });
  await simulation.after(60);
  expect(await simulation.container()).toMatchObject({ ready: false, restartCount: 0 });
  const text = message.replaceAll("IP", pod.status?.podIP ?? "");
  expect(await simulation.events()).toContain(`Unhealthy: Readiness probe failed: ${text}`);
});

test("a probe by name of a port that a container listens on succeeds", async () => {
  await using simulation = await Simulation.start({ rules: [rule({}, { listens: [80] })] });
  const ports = [{ name: "http", containerPort: 80 }];
  await simulation.run({ ports, readinessProbe: { tcpSocket: { port: "http" } } });
  expect(await simulation.isReady()).toBe(true);
});

test("a rule about HTTP probes says nothing of others", async () => {
  const failing = { failsFrom: "10s", only: "httpGet" } as const;
  await using simulation = await Simulation.start({ rules: [rule({}, { probe: { liveness: failing } })] });
  const settings = { periodSeconds: 5, failureThreshold: 1 };
  const others = [{ name: "d", image: "web:1", livenessProbe: { tcpSocket: { port: 80 }, ...settings } }];
  await simulation.run({ livenessProbe: { httpGet: { port: 80 }, ...settings } }, { containers: others });
  await simulation.after(12);
  expect((await simulation.container("c")).restartCount).toBe(1);
  expect((await simulation.container("d")).restartCount).toBe(0);
});
