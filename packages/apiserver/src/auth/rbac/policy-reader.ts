// Reads roles and bindings from the short notation they are kept in.
import type { PolicyRule, Subject } from "@kubewright/api";

/** A role with its rules, labels and annotations. */
export interface PolicyRole {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly rules: readonly PolicyRule[];
  /** The aggregated role that takes it in. */
  readonly into?: string | undefined;
  /** The subjects bound to it; undefined when there is no binding. */
  readonly subjects?: readonly Subject[] | undefined;
}

const verbSets: ReadonlyMap<string, string> = new Map([
  ["read", "get list watch"],
  ["write", "create delete deletecollection patch update"],
  ["readWrite", "create delete deletecollection get list patch update watch"],
  ["readUpdate", "get list patch update watch"],
]);

const eventsLine = "create patch update | core events.k8s.io | events";

/** Reads texts. What is said twice is made once: there are many rules, and few different ones. */
export class PolicyReader {
  readonly #rules = new Map<string, PolicyRule>();
  readonly #lists = new Map<string, readonly string[]>();

  /** Every role of a text. */
  read(text: string): PolicyRole[] {
    const roles: (PolicyRole & { readonly rules: PolicyRule[] })[] = [];
    for (const line of text.trim().split("\n")) {
      if (!line.startsWith(" ")) roles.push({ ...parseRole(line), rules: [] });
      else roles.at(-1)?.rules.push(this.#rule(line.trim()));
    }
    return roles;
  }

  #rule(line: string): PolicyRule {
    const known = this.#rules.get(line);
    if (known) return known;
    const [verbs = "", groups = "", resources, names] = (line === "events" ? eventsLine : line).split(" | ");
    const expanded = this.#list(verbSets.get(verbs) ?? verbs);
    const rule =
      resources === undefined
        ? { verbs: expanded, nonResourceURLs: this.#list(groups) }
        : {
            verbs: expanded,
            apiGroups: this.#list(groups),
            resources: this.#list(resources),
            ...(names === undefined ? {} : { resourceNames: this.#list(names) }),
          };
    this.#rules.set(line, rule);
    return rule;
  }

  #list(text: string): readonly string[] {
    const list = this.#lists.get(text) ?? words(text).map((word) => (word === "core" ? "" : word));
    this.#lists.set(text, list);
    return list;
  }
}

function parseRole(line: string): Omit<PolicyRole, "rules"> {
  const [head = "", subjects] = line.split(" <-");
  const [path = "", into] = head.split(" -> ");
  const slash = path.indexOf("/");
  return {
    name: path.slice(slash + 1),
    namespace: slash < 0 ? undefined : path.slice(0, slash),
    into,
    subjects: subjects === undefined ? undefined : words(subjects.trim()).map(parseSubject),
  };
}

/** `Group:x`, `User:x` or `ServiceAccount:namespace/x`; names hold colons themselves. */
function parseSubject(text: string): Subject {
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (kind !== "ServiceAccount") return { kind, apiGroup: "rbac.authorization.k8s.io", name };
  const [namespace = "", account = ""] = name.split("/");
  return { kind, name: account, namespace };
}

const words = (text: string): string[] => (text === "" ? [] : text.split(" "));
