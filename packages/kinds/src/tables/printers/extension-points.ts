// Table printers of webhooks, admission policies and APIServices.
import {
  APIService,
  findCondition,
  type LabelSelector,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { ageColumn, column, nameColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";

const webhookColumns = [
  nameColumn,
  column("Webhooks", {
    type: "integer",
    description: "Webhooks indicates the number of webhooks registered in this configuration",
  }),
  ageColumn,
];

const mutatingWebhooks = definePrinter(
  MutatingWebhookConfiguration,
  webhookColumns,
  ({ metadata, webhooks }, { age }) => [
    metadata?.name ?? "",
    webhooks?.length ?? 0,
    age(metadata?.creationTimestamp),
  ],
);

const validatingWebhooks = definePrinter(
  ValidatingWebhookConfiguration,
  webhookColumns,
  ({ metadata, webhooks }, { age }) => [
    metadata?.name ?? "",
    webhooks?.length ?? 0,
    age(metadata?.creationTimestamp),
  ],
);

const policyColumns = (count: string, description: string) => [
  nameColumn,
  column(count, { type: "integer", description }),
  column("ParamKind", {
    description: "ParamKind specifies the kind of resources used to parameterize this policy",
  }),
  ageColumn,
];

function paramKindText(
  kind: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined } | undefined,
) {
  return kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";
}

const validatingPolicy = definePrinter(
  ValidatingAdmissionPolicy,
  policyColumns(
    "Validations",
    "Validations indicates the number of validation rules defined in this configuration",
  ),
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.validations?.length ?? 0,
    paramKindText(spec?.paramKind),
    age(metadata?.creationTimestamp),
  ],
);

const mutatingPolicy = definePrinter(
  MutatingAdmissionPolicy,
  policyColumns(
    "Mutations",
    "Mutation indicates the number of mutations rules defined in this configuration",
  ),
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.mutations?.length ?? 0,
    paramKindText(spec?.paramKind),
    age(metadata?.creationTimestamp),
  ],
);

const bindingColumns = [
  nameColumn,
  column("PolicyName", {
    description: "PolicyName indicates the policy definition which the policy binding binded to",
  }),
  column("ParamRef", {
    description: "ParamRef indicates the param resource which sets the configration param",
  }),
  ageColumn,
];

interface ParamReference {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly selector?: LabelSelector | undefined;
}

/** The parameter's scope is not known here, so that a missing namespace is printed as a star. */
function paramRefText(reference: ParamReference | undefined): string {
  if (reference?.name) return `${reference.namespace || "*"}/${reference.name}`;
  return reference?.selector ? printedSelector(reference.selector) : "<unset>";
}

/** As Go prints the struct. */
function printedSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

const validatingBinding = definePrinter(
  ValidatingAdmissionPolicyBinding,
  bindingColumns,
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.policyName ?? "",
    paramRefText(spec?.paramRef),
    age(metadata?.creationTimestamp),
  ],
);

const mutatingBinding = definePrinter(
  MutatingAdmissionPolicyBinding,
  bindingColumns,
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.policyName ?? "",
    paramRefText(spec?.paramRef),
    age(metadata?.creationTimestamp),
  ],
);

const apiService = definePrinter(
  APIService,
  [
    nameColumn,
    column("Service", { description: "The reference to the service that hosts this API endpoint." }),
    column("Available", { description: "Whether this service is available." }),
    ageColumn,
  ],
  ({ metadata, spec, status }, { age }) => {
    const { service } = spec ?? {};
    return [
      metadata?.name ?? "",
      service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local",
      availableText(findCondition(status?.conditions, "Available")),
      age(metadata?.creationTimestamp),
    ];
  },
);

function availableText(
  condition: { readonly status: string; readonly reason?: string | undefined } | undefined,
) {
  if (!condition) return "Unknown";
  if (condition.status === "True" || !condition.reason) return condition.status;
  return `${condition.status} (${condition.reason})`;
}

export const extensionPrinters: readonly TablePrinter[] = [
  mutatingWebhooks,
  validatingWebhooks,
  validatingPolicy,
  mutatingPolicy,
  validatingBinding,
  mutatingBinding,
  apiService,
];
