import { kindTypeInfo } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { applyConfiguration } from "./apply-configuration.js";
import type { AnyObject } from "./apply-types.js";
import { deepFreeze } from "./example-kind.js";
import { withManagedFields } from "./object-managed-fields.js";
import { trackUpdate } from "./track-update.js";

const typeInfo = kindTypeInfo({ group: "", version: "v1", kind: "ConfigMap" }) ?? expect.fail("no typeInfo");
const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const time = "2026-01-02T12:00:00Z";

const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  data,
});

/** An object as `kubectl apply` without --server-side leaves it. */
function appliedByClient(data: object): AnyObject {
  const annotations = { [annotation]: `${JSON.stringify(configMap(data))}\n` };
  const updated = configMap(data, { uid: "u", annotations });
  const options = { live: undefined, updated, typeInfo, apiVersion: "v1", time };
  return deepFreeze(
    withManagedFields(updated, trackUpdate({ ...options, manager: "kubectl-client-side-apply" })),
  );
}

const apply = (live: AnyObject, manager: string, applied: AnyObject) =>
  applyConfiguration({
    live,
    applied,
    typeInfo,
    kind: "ConfigMap",
    apiVersion: "v1",
    manager,
    force: false,
    time,
  }).object;

const annotationOf = (object: AnyObject) =>
  (object["metadata"] as { annotations?: Record<string, string> }).annotations?.[annotation];

describe("an object managed by client-side apply", () => {
  it("is taken over by kubectl without conflicts, and its annotation follows", () => {
    const object = apply(appliedByClient({ k: "1", l: "2" }), "kubectl", configMap({ k: "9" }));
    expect(object["data"]).toEqual({ k: "9", l: "2" });
    expect(annotationOf(object)).toBe(
      '{"apiVersion":"v1","data":{"k":"9"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  it("still conflicts where someone changed it since", () => {
    const live = appliedByClient({ k: "1", l: "2" });
    const edited = { ...live, data: { k: "edited", l: "2" } };
    const options = { live, updated: edited, typeInfo, apiVersion: "v1", time, manager: "kubectl-edit" };
    const now = withManagedFields(edited, trackUpdate(options));
    expect(() => apply(now, "kubectl", configMap({ k: "9", l: "9" }))).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.k',
    );
  });

  it("is not taken over by other managers, who leave the annotation alone", () => {
    const live = appliedByClient({ k: "1" });
    expect(() => apply(live, "flux", configMap({ k: "9" }))).toThrow(/kubectl-client-side-apply/);
    expect(annotationOf(apply(live, "flux", configMap({ k: "1" })))).toBe(annotationOf(live));
  });

  it("is left as it is when kubectl applies the same", () => {
    const live = appliedByClient({ k: "1" });
    const taken = apply(live, "kubectl", configMap({ k: "1" }));
    expect(apply(deepFreeze(taken), "kubectl", configMap({ k: "1" }))).toBe(taken);
  });

  it.each(["not json", "[]", '{"apiVersion":"v2"}', '{"apiVersion":"v1","data":"text"}'])(
    "conflicts as usual when the annotation is of no use: %s",
    (text) => {
      const live = appliedByClient({ k: "1" });
      const metadata = { ...(live["metadata"] as object), annotations: { [annotation]: text } };
      expect(() => apply({ ...live, metadata }, "kubectl", configMap({ k: "9" }))).toThrow(/1 conflict/);
    },
  );

  it("loses an annotation that would grow too large", () => {
    const object = apply(appliedByClient({ k: "1" }), "kubectl", configMap({ k: "x".repeat(300_000) }));
    expect(annotationOf(object)).toBeUndefined();
  });
});
