// The selectors of scale targets: two autoscalers must not select the same pods.
import { LabelMatcher, type Pod } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";

/** Why the pods of the target are not known. */
export interface SelectorProblem {
  /** The reason of the event. */
  readonly event: string;
  readonly message: string;
  readonly condition: { readonly reason: string; readonly message: string };
}

export class TargetSelectors {
  readonly #pods: StoreReader<Pod>;
  /** By key of the autoscaler. */
  readonly #selectors = new Map<string, LabelMatcher>();

  constructor(pods: StoreReader<Pod>) {
    this.#pods = pods;
  }

  forget(key: string): void {
    this.#selectors.delete(key);
  }

  /** The pods of a target whose scale has this selector; or what is wrong with it. */
  read(key: string, text: string): LabelMatcher | SelectorProblem {
    if (text === "")
      return {
        event: "SelectorRequired",
        message: "selector is required",
        condition: { reason: "InvalidSelector", message: "the HPA target's scale is missing a selector" },
      };
    let selector: LabelMatcher;
    try {
      selector = LabelMatcher.parse(text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return problem(
        "InvalidSelector",
        `couldn't convert selector into a corresponding internal selector object: ${why}`,
      );
    }
    this.#selectors.set(key, selector);
    const rivals = this.#rivals(key, selector);
    if (rivals.length === 0) return selector;
    const keys = [key, ...rivals].toSorted().join(" ");
    return problem(
      "AmbiguousSelector",
      `pods by selector ${text} are controlled by multiple HPAs: [${keys}]`,
    );
  }

  #rivals(key: string, selector: LabelMatcher): readonly string[] {
    const namespace = namespaceOf(key);
    const others = [...this.#selectors].filter(
      ([other]) => other !== key && namespaceOf(other) === namespace,
    );
    if (others.length === 0) return [];
    const pods = this.#pods.list({ namespace }).filter(({ metadata }) => selector.matches(metadata?.labels));
    return others
      .filter(([, other]) => pods.some(({ metadata }) => other.matches(metadata?.labels)))
      .map(([other]) => other);
  }
}

const problem = (reason: string, message: string): SelectorProblem => ({
  event: reason,
  message,
  condition: { reason, message },
});

/** Of a key; autoscalers always have one. */
const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));
