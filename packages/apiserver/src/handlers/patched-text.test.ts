import { afterAll, describe, expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";

const { server, call } = await kindServer();
afterAll(() => server.close());

const services = "/api/v1/namespaces/test/services";
await call("POST", services, {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a", namespace: "test", labels: { z: "1", b: "2" }, annotations: { k: "<v>" } },
  spec: {
    type: "ExternalName",
    externalName: "e.example",
    selector: { y: "1", x: "2" },
    ports: [{ port: 1, name: "p" }],
  },
});

/** The object a refusal shows, without what differs from run to run. */
async function shown(patch: unknown, type: "json" | "merge"): Promise<string> {
  const contentType = `application/${type}-patch+json`;
  const { status, body } = await call("PATCH", `${services}/a`, patch, {
    contentType,
    query: { fieldValidation: "Strict" },
  });
  expect(status).toBe(422);
  const message: string = body.message;
  const text = JSON.parse(message.slice(message.indexOf('"{'), message.lastIndexOf('}"') + 2)) as string;
  return text
    .replace(/"uid":"[^"]*","resourceVersion":"\d+","creationTimestamp":"[^"]*"/, '"uid":…')
    .replace(/"managedFields":\[.*\]\},"spec"/, '"managedFields":…},"spec"');
}

const metadata =
  '"metadata":{"name":"a","namespace":"test","uid":…,"labels":{"b":"2","z":"1"},"annotations":{"k":"\\u003cv\\u003e"},"managedFields":…}';
const ports = '"ports":[{"name":"p","protocol":"TCP","port":1,"targetPort":1}]';
const rest =
  '"selector":{"x":"2","y":"1"},"sessionAffinity":"None","type":"ExternalName"},"status":{"loadBalancer":{}}}';

describe("the object in the message of a refused patch", () => {
  it("has fields in the order of their type, and patched keys sorted", async () => {
    expect(await shown({ spec: { bad: 1 } }, "merge")).toBe(
      `{"apiVersion":"v1","kind":"Service",${metadata},"spec":{"bad":1,"externalName":"e.example",${ports},${rest}`,
    );
  });

  it("has the values of the patch as they were written", async () => {
    const patch = [{ op: "add", path: "/spec/ports/-", value: { zzz: 1, port: 2, name: "q" } }];
    const both = ports.replace("]", ',{"zzz":1,"port":2,"name":"q"}]');
    expect(await shown(patch, "json")).toBe(
      `{"apiVersion":"v1","kind":"Service",${metadata},"spec":{"externalName":"e.example",${both},${rest}`,
    );
  });

  it("is the same for a large object", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`<k${index}>`, index]));
    const sorted = Object.keys(many).sort();
    const selector = Object.fromEntries(sorted.map((key) => [key, many[key]]));
    const text = JSON.stringify(selector).slice(1, -1).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
    expect(await shown({ spec: { selector: many, bad: 1 } }, "merge")).toContain(
      `"selector":{${text},"x":"2","y":"1"}`,
    );
  });
});
