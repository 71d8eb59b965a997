// Whether the operator may do what it will want to: as its service account where it is deployed, as the caller where it is not.
import {
  isForbidden,
  isNotFound,
  type PolicyRule,
  SelfSubjectAccessReview,
  ServiceAccount,
  SubjectAccessReview,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import {
  type PlacedRules,
  placedPermissionsOf,
  securedMetricsPermissions,
  webhookPermissions,
} from "@kubewright/runtime";
import type { Operator } from "../../manifests/operator.js";
import { leasePermissions } from "../../manifests/rbac.js";
import { type Check, ok, problem } from "./finding.js";

interface Question {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

/** Everything it needs is allowed. */
export const checkPermissions: Check = async ({ client, operator }) => {
  const { names, settings } = operator;
  const account = await serviceAccount(client, names.serviceAccount, settings.namespace);
  const who = account ? `service account ${settings.namespace}/${names.serviceAccount}` : "you";
  const remedy = account
    ? "kubewright manifests && kubectl apply -k config/rbac"
    : "kubewright deploy grants them to its own service account; to run it as yourself, have an administrator grant them";
  try {
    const missing = await missingOf(client, needsOf(operator, account !== undefined), account);
    if (missing.length === 0) return [ok("permissions", `${who} has all permissions it needs`)];
    return missing.map((question) => problem("permissions", `${who} may not ${described(question)}`, remedy));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return [{ check: "permissions", state: "unknown", message: "you may not create SubjectAccessReviews" }];
  }
};

async function serviceAccount(client: Client, name: string, namespace: string): Promise<string | undefined> {
  try {
    await client.get(ServiceAccount, name, { namespace });
    return `system:serviceaccount:${namespace}:${name}`;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

/** What a deployed manager needs beyond its controllers, a process on a laptop does not. */
function needsOf(operator: Operator, isDeployed: boolean): readonly PlacedRules[] {
  const { definition, settings } = operator;
  const extra = [
    ...leasePermissions(operator),
    { namespace: settings.namespace, rules: webhookPermissions(definition) },
    { namespace: undefined, rules: securedMetricsPermissions() },
  ];
  return [...placedPermissionsOf(definition), ...(isDeployed ? extra : [])];
}

async function missingOf(
  client: Client,
  needs: readonly PlacedRules[],
  account: string | undefined,
): Promise<readonly Question[]> {
  const questions = needs.flatMap(({ rules, namespace }) =>
    rules.flatMap((rule) => questionsOf(rule, namespace)),
  );
  const answers = await Promise.all(questions.map((question) => isAllowed(client, question, account)));
  return questions.filter((_, index) => !answers[index]);
}

function questionsOf(rule: PolicyRule, namespace: string | undefined): readonly Question[] {
  const { apiGroups = [], resources = [], resourceNames = [undefined], verbs } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) =>
      resourceNames.flatMap((name) =>
        verbs.map((verb) => {
          const [resource = "", subresource] = path.split("/");
          return { verb, group, resource, subresource, name, namespace };
        }),
      ),
    ),
  );
}

async function isAllowed(client: Client, question: Question, account: string | undefined): Promise<boolean> {
  const resourceAttributes = question;
  const { status } = account
    ? await client.create(SubjectAccessReview, {
        spec: { resourceAttributes, user: account, groups: groupsOf(account) },
      })
    : await client.create(SelfSubjectAccessReview, { spec: { resourceAttributes } });
  return status?.allowed ?? false;
}

/** The groups every service account is in. */
function groupsOf(account: string): string[] {
  const [, , namespace = ""] = account.split(":");
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
}

function described({ verb, group, resource, subresource, name, namespace }: Question): string {
  const what = `${resource}${subresource ? `/${subresource}` : ""}${group ? `.${group}` : ""}`;
  return `${verb} ${what}${name ? ` ${name}` : ""}${namespace ? ` in ${namespace}` : ""}`;
}
