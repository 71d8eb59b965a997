// Role bindings and certificate requests. Roles have nothing to show beside their name and date.
import {
  CertificateSigningRequest,
  ClusterRoleBinding,
  RoleBinding,
  type RoleRef,
  type Subject,
} from "@kubewright/api";
import { ageColumn, column, nameColumn, wideColumn } from "../column.js";
import type { DescribedField } from "../field-descriptions.js";
import { humanDuration } from "../human-duration.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { orElse } from "./cell-text.js";

const bindingColumns = (binding: string, role: DescribedField) => [
  nameColumn,
  column("Role", { of: role }),
  ageColumn,
  wideColumn("Users", { description: `Users in the ${binding}` }),
  wideColumn("Groups", { description: `Groups in the ${binding}` }),
  wideColumn("ServiceAccounts", { description: `ServiceAccounts in the ${binding}` }),
];

const roleText = (role: RoleRef | undefined): string => `${role?.kind ?? ""}/${role?.name ?? ""}`;

function subjectCells(subjects: readonly Subject[] | null | undefined): string[] {
  const of = (kind: string): readonly Subject[] =>
    (subjects ?? []).filter((subject) => subject.kind === kind);
  const names = (all: readonly Subject[]): string => all.map(({ name }) => name).join(", ");
  const accounts = of("ServiceAccount").map(({ namespace = "", name }) => `${namespace}/${name}`);
  return [names(of("User")), names(of("Group")), accounts.join(", ")];
}

const roleBinding = definePrinter(
  RoleBinding,
  bindingColumns("roleBinding", "RoleBinding.roleRef"),
  ({ metadata, roleRef, subjects }, { age }) => [
    metadata?.name ?? "",
    roleText(roleRef),
    age(metadata?.creationTimestamp),
    ...subjectCells(subjects),
  ],
);

const clusterRoleBinding = definePrinter(
  ClusterRoleBinding,
  bindingColumns("clusterRoleBinding", "ClusterRoleBinding.roleRef"),
  ({ metadata, roleRef, subjects }, { age }) => [
    metadata?.name ?? "",
    roleText(roleRef),
    age(metadata?.creationTimestamp),
    ...subjectCells(subjects),
  ],
);

const certificateSigningRequest = definePrinter(
  CertificateSigningRequest,
  [
    nameColumn,
    ageColumn,
    column("SignerName", { of: "CertificateSigningRequestSpec.signerName" }),
    column("Requestor", { of: "CertificateSigningRequestSpec.request" }),
    column("RequestedDuration", { of: "CertificateSigningRequestSpec.expirationSeconds" }),
    column("Condition", { of: "CertificateSigningRequestStatus.conditions" }),
  ],
  (request, { age }) => {
    const { metadata, spec } = request;
    const expiration = spec?.expirationSeconds;
    return [
      metadata?.name ?? "",
      age(metadata?.creationTimestamp),
      orElse(spec?.signerName, "<none>"),
      spec?.username ?? "",
      expiration === undefined ? "<none>" : humanDuration(expiration * 1000),
      requestState(request),
    ];
  },
);

function requestState({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

export const accessPrinters: readonly TablePrinter[] = [
  roleBinding,
  clusterRoleBinding,
  certificateSigningRequest,
];
