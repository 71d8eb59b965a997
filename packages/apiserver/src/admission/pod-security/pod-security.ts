// PodSecurity: labels of a namespace set the pod security level. Pods below it are refused; workloads that would create such pods, and a
// namespace that becomes stricter than its pods, get warnings.

import type { Namespace, Pod } from "@kubewright/api";
import {
  compareLevels,
  draftAs,
  invalid,
  isSignificantChange,
  type LevelVersion,
  levelText,
  type PodLike,
  podTemplateOf,
  policyOf,
  resourcesWithTemplates,
  type SecurityPolicy,
  sameLevel,
  storedAs,
  violationDetails,
  violationsOf,
} from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import { failureKind, resourceId } from "../../registry/resource-kind.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refuse.js";
import { podsInViolation } from "./pods-in-violation.js";

/** The default levels and the exemptions. */
export interface PodSecurityOptions {
  readonly defaults?: Partial<SecurityPolicy> | undefined;
  readonly exemptions?: PodSecurityExemptions | undefined;
}

/** The exempt users, runtime classes and namespaces. */
export interface PodSecurityExemptions {
  readonly usernames?: readonly string[] | undefined;
  readonly runtimeClasses?: readonly string[] | undefined;
  readonly namespaces?: readonly string[] | undefined;
}

const anything: LevelVersion = { level: "privileged", version: "latest" };
/** Subresources that do not change the spec of a pod. */
const harmless = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

export class PodSecurity implements AdmissionPlugin {
  readonly name = "PodSecurity";
  readonly resources = ["namespaces", "pods", ...resourcesWithTemplates];
  readonly #defaults: SecurityPolicy;
  readonly #exemptions: PodSecurityExemptions;

  constructor({ defaults, exemptions }: PodSecurityOptions = {}) {
    this.#defaults = { enforce: anything, audit: anything, warn: anything, ...defaults };
    this.#exemptions = exemptions ?? {};
  }

  validate(request: AdmissionRequest): void {
    const { kind, operation, object } = request;
    if (!object || (operation !== "CREATE" && operation !== "UPDATE")) return;
    const resource = resourceId(kind);
    if (resource === "namespaces") this.#checkNamespace(request, draftAs<Namespace>(object));
    else if (resource === "pods") this.#checkPod(request, draftAs<Pod>(object));
    else if (request.subresource === undefined) {
      const template = podTemplateOf(resource, object);
      if (template) this.#checkTemplate(request, template);
    }
  }

  #checkPod(request: AdmissionRequest, pod: Pod): void {
    if (harmless.has(request.subresource ?? "") || this.#isExempt(request)) return;
    const policy = this.#policyFor(request);
    const { enforce, audit, warn } = policy;
    if ([enforce, audit, warn].every(({ level }) => level === "privileged")) {
      annotate(request, "enforce-policy", levelText(enforce));
      return;
    }
    if (request.oldObject && !isSignificantChange(pod, storedAs<Pod>(request.oldObject))) return;
    const subject = { metadata: pod.metadata ?? {}, spec: pod.spec ?? { containers: [] } };
    if (this.#isExemptRuntime(request, subject)) return;
    annotate(request, "enforce-policy", levelText(enforce));
    auditOf(request, audit, subject);
    const violations = violationsOf(enforce, subject);
    if (violations.length > 0) {
      const level = levelText(policy.enforce);
      throw refused(request, `violates PodSecurity "${level}": ${violationDetails(violations)}`);
    }
    warnOf(request, policy.warn, subject);
  }

  #checkTemplate(request: AdmissionRequest, template: PodLike): void {
    if (this.#isExempt(request) || this.#isExemptRuntime(request, template)) return;
    const { audit, warn } = this.#policyFor(request);
    auditOf(request, audit, template);
    warnOf(request, warn, template);
  }

  #checkNamespace(request: AdmissionRequest, { metadata }: Namespace): void {
    if (request.subresource !== undefined) return;
    const { policy, errors } = policyOf(metadata?.labels ?? {}, this.#defaults);
    const before = request.oldObject && policyOf(request.oldObject.metadata.labels ?? {}, this.#defaults);
    const known = new Set(before?.errors.map(({ field, message }) => `${field}: ${message}`));
    if (errors.some(({ field, message }) => !known.has(`${field}: ${message}`)))
      throw invalid(failureKind(request.kind), metadata?.name ?? "", errors);
    if (!before || !isStricter(policy.enforce, before.policy.enforce)) return;
    const name = metadata?.name ?? "";
    if (this.#exemptions.namespaces?.includes(name)) return;
    const pods = request.context.services.storage.list("pods", { prefix: `${name}/` });
    const isExempt = (pod: PodLike): boolean => this.#isExemptRuntime(undefined, pod);
    request.context.warnings.push(...podsInViolation(name, pods, policy.enforce, isExempt));
  }

  #policyFor({ namespace = "", context }: AdmissionRequest): SecurityPolicy {
    const labels = context.services.storage.get("namespaces", namespace)?.metadata.labels;
    return labels ? policyOf(labels, this.#defaults).policy : this.#defaults;
  }

  #isExempt(request: AdmissionRequest): boolean {
    const { namespaces = [], usernames = [] } = this.#exemptions;
    const isOfNamespace = namespaces.includes(request.namespace ?? "");
    if (!isOfNamespace && !usernames.includes(request.context.user.name)) return false;
    annotate(request, "exempt", isOfNamespace ? "namespace" : "user");
    return true;
  }

  #isExemptRuntime(request: AdmissionRequest | undefined, { spec }: PodLike): boolean {
    const { runtimeClasses = [] } = this.#exemptions;
    const isExempt = spec.runtimeClassName !== undefined && runtimeClasses.includes(spec.runtimeClassName);
    if (isExempt && request) annotate(request, "exempt", "runtimeClass");
    return isExempt;
  }
}

/** Whether the namespace became stricter. */
function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (sameLevel(now, before) || now.level === "privileged") return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

function warnOf({ context }: AdmissionRequest, level: LevelVersion, pod: PodLike): void {
  const text = violationText(level, pod);
  if (text !== undefined) context.warnings.push(text);
}

/** The audit annotation about pods that violate the audit level. */
function auditOf(request: AdmissionRequest, level: LevelVersion, pod: PodLike): void {
  if (!request.context.record) return;
  const text = violationText(level, pod);
  if (text !== undefined) annotate(request, "audit-violations", text);
}

function violationText(level: LevelVersion, pod: PodLike): string | undefined {
  const violations = violationsOf(level, pod);
  if (violations.length === 0) return undefined;
  return `would violate PodSecurity "${levelText(level)}": ${violationDetails(violations)}`;
}

const annotate = ({ context }: AdmissionRequest, key: string, value: string): void =>
  context.record?.annotate(`pod-security.kubernetes.io/${key}`, value);
