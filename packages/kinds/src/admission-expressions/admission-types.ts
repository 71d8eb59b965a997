// The variables expressions of webhooks and policies may use, with their types.
import {
  authorizerType,
  boolType,
  type CelField,
  type CelType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  resourceCheckType,
  stringType,
  timestampType,
} from "@kubewright/cel";

type Fields = Readonly<Record<string, CelType>>;

/** A struct of Kubernetes' own; values are read as they are, also where they are null. */
function struct(name: string, fields: Fields): CelType {
  const declared = new Map<string, CelField>();
  for (const [field, type] of Object.entries(fields))
    declared.set(field, { name: field, property: field, type, required: false });
  const type = objectType(`kubernetes.${name}`, () => declared);
  return { ...type, shape: { isPlain: true, read: (json) => json } };
}

const strings = listType(stringType);
const labels = mapType(stringType, stringType);

const groupVersionKind = struct("GroupVersionKind", {
  group: stringType,
  version: stringType,
  kind: stringType,
});
const groupVersionResource = struct("GroupVersionResource", {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const requestType = struct("AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: struct("UserInfo", {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});

const namespaceType = struct("Namespace", {
  metadata: struct("NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels,
    annotations: labels,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: struct("NamespaceSpec", { finalizers: strings }),
  status: struct("NamespaceStatus", {
    phase: stringType,
    conditions: listType(
      struct("NamespaceCondition", {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
  }),
});

/** The variables of an expression besides those that every expression has. */
export interface ExpressionScope {
  /** `params`: the policy has a parameter kind. */
  readonly params?: boolean | undefined;
  /** `authorizer`; messages and annotations have none. */
  readonly authorizer?: boolean | undefined;
  /** The type of `variables`, where a policy has such. */
  readonly variables?: CelType | undefined;
  /** It makes a patch: objects and operations can be built. */
  readonly patches?: boolean | undefined;
  /** The types of object and params where expressions are checked for one kind. Default: dyn. */
  readonly types?: { readonly object: CelType; readonly params: CelType | undefined } | undefined;
}

/** The variables of an expression. */
export function admissionVariables({ params, authorizer, variables, types }: ExpressionScope): Fields {
  return {
    object: types?.object ?? dynType,
    oldObject: types?.object ?? dynType,
    namespaceObject: namespaceType,
    request: requestType,
    ...(params ? { params: types?.params ?? dynType } : {}),
    ...(authorizer ? { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType } : {}),
    ...(variables ? { variables } : {}),
  };
}
