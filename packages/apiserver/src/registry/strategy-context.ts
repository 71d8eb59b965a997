import type { StrategyContext } from "@kubewright/kinds";
import type { RequestContext } from "./request-context.js";

/** The part of a request that the rules of a kind may use. */
export function strategyContext(
  { services, user, info, warnings }: RequestContext,
  dryRun = false,
): StrategyContext {
  const { clock, newUid, storage, registry, authorizer, rulesFor, serviceAllocators } = services;
  const { namespace = "", name = "" } = info.kind === "resource" ? info : {};
  return {
    clock,
    newUid,
    storage,
    dryRun,
    user,
    warnings,
    requested: { namespace, name },
    authorizer,
    rulesFor,
    pluralOf: (group, version, kind) => registry.findKind(group, version, kind)?.plural,
    serviceAllocators,
  };
}
