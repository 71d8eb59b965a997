// HorizontalPodAutoscalers set the replicas of what they target. A controller that declares that target must take them into account.
import { deepEqual, HorizontalPodAutoscaler, type KubeObject, parseApiVersion } from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import { type Target, type Watched, watch } from "../controller/watches.js";

/** Something an autoscaler can scale. */
export interface AutoscalerTarget {
  readonly kind: Pick<AnyResource, "kind" | "group">;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Names the index of autoscalers by what they scale. */
export const autoscalerIndex = "kubewright.dev/scale-target";

/** The value of that index for a target: what to look up with `ctx.byIndex`. */
export function autoscaledBy({ kind, name, namespace = "" }: AutoscalerTarget): string {
  return `${kind.kind}.${kind.group} ${namespace}/${name}`;
}

/**
 * Watches autoscalers, for objects whose child of the given kind has their own name.
 *
 * @example
 * watches: [watchAutoscalers(Deployment)],
 * async reconcile(app, ctx) {
 *   const target = autoscaledBy({ kind: Deployment, ...app.metadata });
 *   const isAutoscaled = ctx.byIndex(HorizontalPodAutoscaler, autoscalerIndex, target).length > 0;
 * }
 */
export function watchAutoscalers(child: AnyResource): Watched<typeof HorizontalPodAutoscaler> {
  return watch(HorizontalPodAutoscaler, {
    indexes: { [autoscalerIndex]: (autoscaler) => targetOf(autoscaler) },
    targets: (autoscaler) => owners(autoscaler, child),
    // Metrics come in all the time; only what is scaled matters here.
    when: ({ previous, current }) =>
      !deepEqual(previous?.spec?.scaleTargetRef, current?.spec?.scaleTargetRef),
  });
}

function targetOf({ metadata, spec }: HorizontalPodAutoscaler): readonly string[] {
  if (!spec) return [];
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return [autoscaledBy({ kind: { kind, group }, name, namespace: metadata?.namespace })];
}

function owners(
  { metadata, spec }: HorizontalPodAutoscaler & KubeObject,
  child: AnyResource,
): readonly Target[] {
  const ref = spec?.scaleTargetRef;
  if (ref?.kind !== child.kind) return [];
  return [{ name: ref.name, namespace: metadata?.namespace }];
}
