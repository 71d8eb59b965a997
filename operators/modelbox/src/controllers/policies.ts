// What the policies that select a ModelBox add up to.
import { type Container, LabelMatcher, type ResourceRequirements } from "@kubewright/api";
import type { ModelBox } from "../api/v1/model-box.js";
import type { ModelBoxPolicy } from "../api/v1/model-box-policy.js";

type Tier = NonNullable<ModelBox["spec"]["tier"]>;

/** What is added to a ModelBox from outside it. */
export interface Additions {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
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

/** All that the policies say of a box, in the order of their names; the first to name a container or a tier has it. */
export function additionsFor(box: ModelBox, policies: readonly ModelBoxPolicy[]): Additions {
  const selecting = policies
    .filter((policy) => selects(policy, box))
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return {
    containers: selecting.flatMap(({ spec }) => spec.containers ?? []),
    initContainers: selecting.flatMap(({ spec }) => spec.initContainers ?? []),
    tiers: Object.assign(
      { ...builtInTiers },
      ...selecting.toReversed().map(({ spec }) => stated(spec.tiers)),
    ),
  };
}

export function selects({ spec }: ModelBoxPolicy, box: ModelBox): boolean {
  return spec.selector === undefined || LabelMatcher.from(spec.selector).matches(box.metadata.labels);
}

function stated(tiers: ModelBoxPolicy["spec"]["tiers"] = {}): Partial<Additions["tiers"]> {
  return Object.fromEntries(Object.entries(tiers).filter(([, resources]) => resources !== undefined));
}
