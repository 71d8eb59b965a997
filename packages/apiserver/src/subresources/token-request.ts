// `serviceaccounts/token`: a token for a service account, perhaps bound to a pod, a secret or a node.

import {
  apiVersionOf,
  cloneJson,
  type Draft,
  type FieldError,
  fieldError,
  formatTime,
  type TokenRequest,
} from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import {
  badRequest,
  conflict,
  type DraftObject,
  invalid,
  notFound,
  type StoredObject,
} from "@kubewright/kinds";
import { trackUpdate } from "@kubewright/machinery";
import type { ServiceAccountTokens, TokenSubject } from "../auth/service-account-tokens.js";
import { apiAudiences } from "../auth/token-authenticator.js";

import type { RequestContext } from "../registry/request-context.js";
import {
  keyOf,
  type ResourceKind,
  type Subresource,
  type SubresourceResult,
  subjectOf,
} from "../registry/resource-kind.js";
import { type WriteOptions, writeOptions } from "../registry/write-options.js";
import { decodeAction } from "./action-body.js";
import { findBoundObject } from "./bound-object.js";

const gvk = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const minSeconds = 10 * 60;
const maxSeconds = 2 ** 32;
const defaultSeconds = 60 * 60;
/** The duration that kubelets request; such tokens last a year and warn after the hour, so that old programs keep working. */
const warnOnlySeconds = 60 * 60 + 7;
const extendedSeconds = 365 * 24 * 60 * 60;

/** Signs tokens of service accounts. */
export type TokenIssuer = Pick<ServiceAccountTokens, "issue">;

export const tokenRequests = (tokens: TokenIssuer): Pick<Subresource, "handle"> => ({
  handle: (context, kind) => requestToken(context, kind, tokens),
});

type Request = Draft<TokenRequest> & {
  metadata: NonNullable<Draft<TokenRequest>["metadata"]>;
  spec: NonNullable<Draft<TokenRequest>["spec"]>;
};

async function requestToken(
  context: RequestContext,
  kind: ResourceKind,
  tokens: TokenIssuer,
): Promise<SubresourceResult> {
  const { info, services } = context;
  const { namespace = "", name = "" } = info.kind === "resource" ? info : {};
  const options = writeOptions(context, "CreateOptions");
  const request = readRequest(context, namespace, options);
  const admitted = {
    operation: "CREATE" as const,
    kind,
    subresource: "token",
    name,
    namespace,
    object: request as unknown as DraftObject,
    oldObject: undefined,
    dryRun: options.dryRun,
    context,
  };
  await services.admission.mutate(admitted);
  complete(context, request, findAccount(context, kind, namespace, name, request));
  const errors = validate(request);
  if (errors.length > 0) throw invalid(gvk, "", errors);
  await services.admission.validate(admitted);
  issue(context, request, tokens);
  return { status: 201, object: request };
}

/** Decodes and defaults the body, and notes who sent what. */
function readRequest(context: RequestContext, namespace: string, options: WriteOptions): Request {
  const request = decodeAction<Draft<TokenRequest>>(context, [gvk], options);
  const metadata = { ...request.metadata };
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata.namespace = namespace;
  const spec = request.spec ?? {};
  spec.expirationSeconds ??= defaultSeconds;
  const complete = { ...request, metadata, spec };
  const managedFields = managedFieldsOf(context, complete, options.fieldManager);
  if (managedFields) metadata.managedFields = cloneJson(managedFields);
  return complete;
}

function managedFieldsOf(context: RequestContext, request: Request, manager: string) {
  const typeInfo = kindTypeInfo(gvk);
  return (
    typeInfo &&
    trackUpdate({
      live: undefined,
      updated: request as unknown as DraftObject,
      typeInfo,
      manager,
      apiVersion: apiVersionOf(gvk),
      time: formatTime(context.services.clock.now()),
      subresource: "token",
    })
  );
}

/** The account the token is for. The body may name it once more, but no other. */
function findAccount(
  { services }: RequestContext,
  kind: ResourceKind,
  namespace: string,
  name: string,
  { metadata }: Request,
): StoredObject {
  if (metadata.name && metadata.name !== name) {
    const text = "must match the service account name if specified";
    throw invalid(gvk, name, [fieldError.invalid("metadata.name", metadata.name, text)]);
  }
  const account = services.storage.get(kind.storage, keyOf(kind, namespace, name));
  if (!account) throw notFound(subjectOf(kind, name));
  const { uid } = account.metadata;
  if (metadata.uid && metadata.uid !== uid) {
    const text = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: gvk.group, resource: gvk.kind, name }, text);
  }
  return account;
}

function complete(context: RequestContext, { metadata, spec }: Request, account: StoredObject): void {
  if (!spec.audiences?.length) spec.audiences = [...apiAudiences];
  metadata.name = account.metadata.name;
  metadata.uid = account.metadata.uid;
  metadata.creationTimestamp = formatTime(context.services.clock.now());
}

function validate({ spec }: Request): FieldError[] {
  const seconds = spec.expirationSeconds ?? 0;
  const refuse = (text: string) => [fieldError.invalid("spec.expirationSeconds", seconds, text)];
  if (seconds < minSeconds) return refuse("may not specify a duration less than 10 minutes");
  return seconds > maxSeconds ? refuse("may not specify a duration larger than 2^32 seconds") : [];
}

function issue({ services, record }: RequestContext, request: Request, tokens: TokenIssuer): void {
  const { metadata, spec } = request;
  const { namespace = "", name = "", uid } = metadata;
  const { audiences = [], expirationSeconds: seconds = 0 } = spec;
  const bound = spec.boundObjectRef
    ? findBoundObject(services.storage, namespace, name, spec.boundObjectRef)
    : {};
  const extended =
    bound.pod &&
    seconds === warnOnlySeconds &&
    audiences.every((audience) => apiAudiences.includes(audience));
  const subject: TokenSubject = { namespace, serviceaccount: { name, uid }, ...bound };
  const terms = extended ? { seconds: extendedSeconds, warnAfter: seconds } : { seconds };
  const { token, id } = tokens.issue(subject, { audiences, ...terms });
  record?.annotate("authentication.kubernetes.io/issued-credential-id", id);
  request.status = {
    token,
    expirationTimestamp: formatTime(services.clock.now() + seconds * 1000),
  };
}
