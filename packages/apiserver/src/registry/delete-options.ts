// How an object should go: from the body of a DELETE, or from its query parameters.
import type { FieldError } from "@kubewright/api";
import { decodeBody, isObject, type MutableObject } from "../codec/index.js";
import { headerOf, type RequestContext } from "../request/context.js";
import { badRequest, invalid } from "../request/failures.js";
import { dryRunErrors, integerParameter } from "./write-options.js";

export type PropagationPolicy = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: {
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
  readonly dryRun: boolean;
}

/** The body wins over the query when there is one. */
export function deleteOptions(context: RequestContext): DeleteOptions {
  const raw = optionsFromBody(context) ?? optionsFromQuery(context.query);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds } = raw;
  const dryRun = Array.isArray(raw["dryRun"]) ? raw["dryRun"].map(String) : [];
  const errors = [...dryRunErrors(dryRun), ...policyErrors(propagationPolicy, orphanDependents)];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const preconditions = isObject(raw["preconditions"]) ? raw["preconditions"] : {};
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === "number" ? gracePeriodSeconds : undefined,
    propagationPolicy: isPolicy(propagationPolicy) ? propagationPolicy : undefined,
    orphanDependents: typeof orphanDependents === "boolean" ? orphanDependents : undefined,
    preconditions: {
      uid: text(preconditions["uid"]),
      resourceVersion: text(preconditions["resourceVersion"]),
    },
    dryRun: dryRun.length > 0,
  };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function optionsFromBody(context: RequestContext): MutableObject | undefined {
  const { body } = context.request;
  if (!body) return undefined;
  if (body.kind === "object") return isObject(body.value) ? body.value : undefined;
  if (body.bytes.length === 0) return undefined;
  const { value } = decodeBody(body.bytes, headerOf(context, "content-type"), {
    gvk: { group: "", version: "v1", kind: "DeleteOptions" },
    reportDuplicates: false,
  });
  if (value["kind"] !== undefined && value["kind"] !== "DeleteOptions") {
    throw badRequest(
      `no kind ${JSON.stringify(value["kind"])} is registered for version ${JSON.stringify(value["apiVersion"] ?? "")} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
    );
  }
  return value;
}

function optionsFromQuery(query: URLSearchParams): MutableObject {
  const orphan = query.get("orphanDependents");
  const options: MutableObject = { dryRun: query.getAll("dryRun") };
  const grace = integerParameter(query, "gracePeriodSeconds");
  if (grace !== undefined) options["gracePeriodSeconds"] = grace;
  if (query.has("propagationPolicy")) options["propagationPolicy"] = query.get("propagationPolicy") ?? "";
  if (orphan !== null) options["orphanDependents"] = orphan === "true" || orphan === "1";
  return options;
}

function policyErrors(policy: unknown, orphan: unknown): FieldError[] {
  if (policy === undefined || policy === null) return [];
  if (orphan !== undefined && orphan !== null) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    return [{ field: "propagationPolicy", reason: "FieldValueInvalid", message }];
  }
  if (isPolicy(policy)) return [];
  const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`;
  return [{ field: "propagationPolicy", reason: "FieldValueNotSupported", message }];
}

const isPolicy = (value: unknown): value is PropagationPolicy =>
  value === "Orphan" || value === "Background" || value === "Foreground";
