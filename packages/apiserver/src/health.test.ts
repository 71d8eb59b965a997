import { expect, test } from "vitest";
import { createApiServer } from "./server.js";

test.each([
  ["/readyz", 500, "[-]shutdown failed: reason withheld\nreadyz check failed\n"],
  ["/readyz/shutdown", 500, "internal server error: process is shutting down\n"],
  ["/readyz/ping", 200, "ok"],
  ["/readyz?exclude=shutdown", 200, "ok"],
  ["/livez", 200, "ok"],
  ["/healthz", 200, "ok"],
])("a server that is shutting down responds to %s with %i", async (url, status, end) => {
  const server = createApiServer();
  const [path = "", query] = url.split("?");
  const get = async () => {
    const { status, body } = await server.transport()({
      method: "GET",
      path,
      query: new URLSearchParams(query),
    });
    return { status, text: body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "" };
  };
  expect(await get()).toEqual({ status: 200, text: "ok" });
  server.beginShutdown();
  const answer = await get();
  expect(answer.status).toBe(status);
  expect(answer.text.endsWith(end)).toBe(true);
  server.close();
});

test("/metrics/slis: reports the result of each health check", async () => {
  const server = createApiServer();
  server.beginShutdown();
  const { body } = await server.transport()({ method: "GET", path: "/metrics/slis" });
  const text = body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  expect(text).toContain('kubernetes_healthcheck{name="etcd",type="livez"} 1\n');
  expect(text).toContain('kubernetes_healthcheck{name="shutdown",type="readyz"} 0\n');
  server.close();
});

test("/metrics/slis: counts the results of health checks, where all of them were run", async () => {
  const server = createApiServer();
  const get = async (path: string, query = "") => {
    const { body } = await server.transport()({ method: "GET", path, query: new URLSearchParams(query) });
    return body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  };
  await get("/readyz");
  await get("/readyz", "exclude=etcd");
  await get("/readyz/etcd");
  server.beginShutdown();
  await get("/readyz");
  const text = await get("/metrics/slis");
  for (const [name, status, count] of [
    ["ping", "success", 3],
    ["etcd", "success", 2],
    ["shutdown", "success", 2],
    ["shutdown", "error", 1],
  ])
    expect(text).toContain(
      `kubernetes_healthchecks_total{name="${name}",status="${status}",type="readyz"} ${count}\n`,
    );
  expect(text).not.toContain('status="success",type="livez"');
  server.close();
});
