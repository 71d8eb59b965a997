// NodeRestriction for TokenRequests: a kubelet requests tokens for its own pods, with audiences that these pods use.

import { type CSIDriver, goQuote, type Pod, type TokenRequest } from "@kubewright/api";
import { draftAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import { podOf } from "./requested-pod.js";

/** The reason why the token may not be requested. */
export function checkToken(node: string, request: AdmissionRequest): string | undefined {
  const { operation, subresource, object } = request;
  if (operation !== "CREATE" || subresource !== "token" || !object) return undefined;
  const { spec } = draftAs<TokenRequest>(object);
  const bound = spec?.boundObjectRef;
  if (bound?.apiVersion !== "v1" || bound.kind !== "Pod" || !bound.name)
    return "node requested token not bound to a pod";
  if (!bound.uid) return "node requested token with a pod binding without a uid";
  const pod = podOf(request, bound.name);
  if (pod.metadata?.uid !== bound.uid)
    return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec?.nodeName !== node) return "node requested token bound to a pod scheduled on a different node";
  return audienceProblem(node, spec?.audiences ?? [], pod, request);
}

function audienceProblem(node: string, audiences: readonly string[], pod: Pod, request: AdmissionRequest) {
  const [audience, ...others] = audiences;
  if (others.length > 0) return "node may only request 0 or 1 audiences";
  if (!audience || isAskedFor(audience, pod, request)) return undefined;
  return `audience ${goQuote(audience)} not found in pod spec volume, system:node:${node} is not authorized to request tokens for this audience`;
}

/** Through a projected token volume, a CSI driver, or a permission of the node. */
function isAskedFor(audience: string, { spec }: Pod, { context, namespace = "" }: AdmissionRequest): boolean {
  const { storage, authorizer } = context.services;
  const drivers = (spec?.volumes ?? []).flatMap(({ csi }) => (csi ? [csi.driver] : []));
  const ofDriver = (name: string): boolean => {
    const driver = storage.get("storage.k8s.io/csidrivers", name) as unknown as CSIDriver | undefined;
    return driver?.spec.tokenRequests?.some((each) => each.audience === audience) ?? false;
  };
  const ofVolume = (spec?.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(
      ({ serviceAccountToken: token }) => token && (token.audience ?? "") === audience,
    ),
  );
  return (
    ofVolume ||
    drivers.some(ofDriver) ||
    authorizer({
      kind: "resource",
      user: context.user,
      verb: "request-serviceaccounts-token-audience",
      group: "",
      version: "v1",
      resource: audience,
      subresource: "",
      namespace,
      name: context.info.kind === "resource" ? (context.info.name ?? "") : "",
    }).allowed
  );
}
