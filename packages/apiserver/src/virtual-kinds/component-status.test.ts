import { expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";

const path = "/api/v1/componentstatuses";

it("shows the parts of the control plane as they are, with no version: they are not stored", async () => {
  const { call } = await kindServer();
  const { body } = await call("GET", path);
  expect(body.metadata).toEqual({});
  const items: { metadata: { name: string }; conditions: { status: string; message: string }[] }[] =
    body.items;
  expect(items.map(({ metadata, conditions }) => [metadata, conditions[0]?.status])).toEqual([
    [{ name: "controller-manager" }, "False"],
    [{ name: "scheduler" }, "False"],
    [{ name: "etcd-0" }, "True"],
  ]);
  expect(items[1]?.conditions[0]?.message).toBe(
    'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
  );
});

it("shows one, or those a selector picks", async () => {
  const { call } = await kindServer();
  const one = await call("GET", `${path}/etcd-0`);
  expect(one.body.conditions).toEqual([{ type: "Healthy", status: "True", message: "ok" }]);
  const some = await call("GET", path, undefined, { query: { fieldSelector: "metadata.name=scheduler" } });
  expect(some.body.items).toHaveLength(1);
  const none = await call("GET", path, undefined, { query: { labelSelector: "a=b" } });
  expect(none.body.items).toEqual([]);
});

it("knows no others, and takes none", async () => {
  const { call } = await kindServer();
  const unknown = await call("GET", `${path}/nobody`);
  expect([unknown.status, unknown.body.message]).toEqual([404, 'componentstatus "nobody" not found']);
  const object = { apiVersion: "v1", kind: "ComponentStatus", metadata: { name: "mine" } };
  expect((await call("POST", path, object)).status).toBe(405);
  expect((await call("GET", path, undefined, { query: { watch: "1" } })).status).toBe(405);
});
