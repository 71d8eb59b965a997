// The merged policies that select a ModelBox.
import { type Container, LabelMatcher, type LabelSelector, type ResourceRequirements } from "@kubewright/api";
import type { ModelBox } from "../api/v1/model-box.js";
import type { ModelBoxPolicy } from "../api/v1/model-box-policy.js";

type Tier = NonNullable<ModelBox["spec"]["tier"]>;

/** Containers for a pod. */
export interface PodContainers {
  readonly containers: readonly Container[];
  /** They run to completion before the others start, in order. */
  readonly initContainers: readonly Container[];
}

/** The additions of policies to a ModelBox. */
export interface Additions {
  /** Of each policy, in the order of their names. */
  readonly pods: readonly PodContainers[];
  readonly tiers: Readonly<Record<Exclude<Tier, "custom">, ResourceRequirements>>;
}

const sized = (cpu: string, memory: string, maxCpu: string, maxMemory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu: maxCpu, memory: maxMemory },
});

/** The tiers where no policy says otherwise. */
export const builtInTiers: Additions["tiers"] = {
  small: sized("100m", "128Mi", "500m", "512Mi"),
  medium: sized("500m", "512Mi", "1", "1Gi"),
  large: sized("1", "1Gi", "2", "4Gi"),
};

/**
 * All that the policies say of a box, in the order of their names; the first to name a container or a tier has it. A policy whose
 * selector cannot be read adds nothing to any box, and keeps no other from being added.
 */
export function additionsFor(box: ModelBox, policies: readonly ModelBoxPolicy[]): Additions {
  const selecting = policies
    .filter((policy) => selects(policy, box))
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return {
    pods: selecting.map(({ spec: { containers = [], initContainers = [] } }) => ({
      containers,
      initContainers,
    })),
    tiers: Object.assign(
      { ...builtInTiers },
      ...selecting.toReversed().map(({ spec }) => stated(spec.tiers)),
    ),
  };
}

export function selects({ spec }: ModelBoxPolicy, box: ModelBox): boolean {
  if (spec.selector === undefined) return true;
  const matcher = readSelector(spec.selector);
  return matcher instanceof LabelMatcher && matcher.matches(box.metadata.labels);
}

/** Why the selector of a policy cannot be read, if it cannot: schemas were not always strict about it. */
export function selectorError({ spec }: ModelBoxPolicy): string | undefined {
  const matcher = spec.selector && readSelector(spec.selector);
  return matcher instanceof Error ? matcher.message : undefined;
}

function readSelector(selector: LabelSelector): LabelMatcher | Error {
  try {
    return LabelMatcher.from(selector);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function stated(tiers: ModelBoxPolicy["spec"]["tiers"] = {}): Partial<Additions["tiers"]> {
  return Object.fromEntries(Object.entries(tiers).filter(([, resources]) => resources !== undefined));
}
