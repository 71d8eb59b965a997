import { expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const spec = { group: "metrics.k8s.io", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 };
const service = { namespace: "kube-system", name: "metrics" };

async function attempt(change: object, name = "v1beta1.metrics.k8s.io") {
  const server = await kindServer();
  const answer = await server.call("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name },
    spec: { ...spec, ...change },
  });
  return { ...answer, causes: server.causes(answer) };
}

it("APIService: the port defaults to 443", async () => {
  expect((await attempt({ service })).body.spec.service).toEqual({ ...service, port: 443 });
});

it.each([
  [
    { groupPriorityMinimum: 0 },
    ["spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000"],
  ],
  [
    { versionPriority: 1001 },
    ["spec.versionPriority: Invalid value: 1001: must be positive and less than 1000"],
  ],
  [
    { insecureSkipTLSVerify: true },
    ["spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify"],
  ],
  [{ service: { name: "x" } }, ["spec.service.namespace: Required value"]],
  [
    { service: { ...service, port: 65536 } },
    ["spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive"],
  ],
  [
    { service, insecureSkipTLSVerify: true, caBundle: "YQ==" },
    ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"],
  ],
])("APIService: refuses %j", async (change, causes) => {
  expect((await attempt(change)).causes).toEqual(causes);
});

it("APIService: refuses a name that is not version.group", async () => {
  expect((await attempt({}, "metrics")).causes).toEqual([
    'metadata.name: Invalid value: "metrics": must be `spec.version+"."+spec.group`: "v1beta1.metrics.k8s.io"',
  ]);
});
