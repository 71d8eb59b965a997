// Other timetables for the same target. Each carries out its runs, but none of them keeps a size up against the others.
import { HorizontalPodAutoscaler } from "@kubewright/api";
import { Hpa } from "../api/v1/hpa.js";
import { type Context, isAutoscaler, nameOf, type Target, targetIndex, targetKey } from "./context.js";
import { governing } from "./observed-target.js";

/** The names of the other timetables that scale the same, directly or through its autoscaler. */
export async function sharedWith(ctx: Context, hpa: Hpa): Promise<readonly string[]> {
  const { scaleTarget } = hpa.spec;
  const { namespace } = hpa.metadata;
  const related = isAutoscaler(scaleTarget)
    ? await targetsOf(ctx, scaleTarget)
    : governing(ctx, scaleTarget, namespace).map(asTarget);
  const names = [scaleTarget, ...related]
    .flatMap((target) => ctx.byIndex(Hpa, targetIndex, targetKey(target, namespace)))
    .filter((other) => other.metadata.uid !== hpa.metadata.uid && !other.spec.suspend)
    .map(nameOf);
  return [...new Set(names)].toSorted();
}

async function targetsOf(ctx: Context, { name }: Target): Promise<readonly Target[]> {
  const reference = (await ctx.get(HorizontalPodAutoscaler, name))?.spec?.scaleTargetRef;
  return reference ? [{ ...reference, apiVersion: reference.apiVersion ?? "v1" }] : [];
}

const asTarget = ({ metadata }: HorizontalPodAutoscaler): Target => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  name: metadata?.name ?? "",
});
