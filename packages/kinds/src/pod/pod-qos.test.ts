import { expect, it } from "vitest";
import { qosClassOf } from "./pod-qos.js";

const both = { cpu: "1", memory: "1Gi" };
const container = (requests: object = {}, limits: object = {}) => ({
  name: "c",
  image: "i",
  resources: { requests, limits } as never,
});

it.each([
  ["nothing", [container()], "BestEffort"],
  ["zeros", [container({ cpu: "0" }, { memory: "0" })], "BestEffort"],
  ["only other resources", [container({ "ephemeral-storage": "1Gi" })], "BestEffort"],
  ["requests that are limits", [container(both, both)], "Guaranteed"],
  ["equal amounts in other units", [container({ cpu: "1000m", memory: "1024Mi" }, both)], "Guaranteed"],
  ["smaller requests", [container({ cpu: "500m", memory: "1Gi" }, both)], "Burstable"],
  ["one container without limits", [container(both, both), container()], "Burstable"],
  ["only one of the resources", [container({ cpu: "1" }, { cpu: "1" })], "Burstable"],
])("the QoS class of containers with %s follows from requests and limits", (_, containers, expected) => {
  expect(qosClassOf({ containers })).toBe(expected);
});

it("the QoS class follows from pod-level resources where a pod has some", () => {
  const containers = [container({ cpu: "1" })];
  expect(qosClassOf({ containers, resources: { requests: both, limits: both } })).toBe("Guaranteed");
  expect(qosClassOf({ containers, resources: {} })).toBe("Burstable");
});

it("the QoS class takes init containers into account", () => {
  expect(qosClassOf({ containers: [container(both, both)], initContainers: [container()] })).toBe(
    "Burstable",
  );
});
