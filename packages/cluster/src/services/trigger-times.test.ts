import type { Pod, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { TriggerTimes, withTrigger } from "./trigger-times.js";

const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
const service: Service = { metadata: { name: "web", namespace: "default", creationTimestamp: at(0) } };
const pod = (name: string, minute: number): Pod => ({
  metadata: { name },
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(minute) }] },
});

test("endpoints trigger time: is the earliest of the changes that are new", () => {
  const times = new TriggerTimes();
  expect(times.next(service, [pod("a", 1)])).toBe(at(0));
  expect(times.next(service, [pod("a", 1)])).toBeUndefined();
  expect(times.next(service, [pod("a", 3), pod("b", 2)])).toBe(at(2));
  expect(times.next(service, [pod("b", 2)])).toBeUndefined();
  times.forget("default/web");
  expect(times.next(service, [pod("b", 2)])).toBe(at(0));
});

test.each([
  [{ team: "red" }, at(1), { team: "red", "endpoints.kubernetes.io/last-change-trigger-time": at(1) }],
  [{ team: "red", "endpoints.kubernetes.io/last-change-trigger-time": at(1) }, undefined, { team: "red" }],
  [undefined, undefined, {}],
])("endpoints trigger time: annotations %j at %s", (annotations, time, expected) => {
  expect(withTrigger(annotations, time)).toEqual(expected);
});
