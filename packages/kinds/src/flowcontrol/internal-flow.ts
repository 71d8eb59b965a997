// Specs of flow control as kube-apiserver prints them in failures: with the fields of its own Go types, set or not.
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
} from "@kubewright/api";

type Subject = PolicyRulesWithSubjects["subjects"][number];

/** The spec of a FlowSchema. */
export const internalSchema = (spec: FlowSchemaSpec | undefined): object => ({
  PriorityLevelConfiguration: { Name: spec?.priorityLevelConfiguration?.name ?? "" },
  MatchingPrecedence: spec?.matchingPrecedence ?? 0,
  DistinguisherMethod: spec?.distinguisherMethod ? internalMethod(spec.distinguisherMethod) : null,
  Rules: spec?.rules?.map(internalRule) ?? null,
});

/** The distinguisher method of a flow schema, in the internal version. */
export const internalMethod = ({ type }: { readonly type?: string | undefined }): object => ({
  Type: type ?? "",
});

const internalRule = ({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): object => ({
  Subjects: subjects?.map(internalSubject) ?? null,
  ResourceRules:
    resourceRules?.map((rule) => ({
      Verbs: rule.verbs ?? null,
      APIGroups: rule.apiGroups ?? null,
      Resources: rule.resources ?? null,
      ClusterScope: rule.clusterScope ?? false,
      Namespaces: rule.namespaces ?? null,
    })) ?? null,
  NonResourceRules:
    nonResourceRules?.map((rule) => ({
      Verbs: rule.verbs ?? null,
      NonResourceURLs: rule.nonResourceURLs ?? null,
    })) ?? null,
});

const internalSubject = ({ kind, user, group, serviceAccount }: Subject): object => ({
  Kind: kind ?? "",
  User: user ? { Name: user.name ?? "" } : null,
  Group: group ? { Name: group.name ?? "" } : null,
  ServiceAccount: serviceAccount
    ? { Namespace: serviceAccount.namespace ?? "", Name: serviceAccount.name ?? "" }
    : null,
});

/** The spec of a PriorityLevelConfiguration. */
export const internalLevel = (spec: PriorityLevelConfigurationSpec | undefined): object => ({
  Type: spec?.type ?? "",
  Limited: spec?.limited
    ? {
        NominalConcurrencyShares: spec.limited.nominalConcurrencyShares ?? 0,
        LimitResponse: internalResponse(spec.limited.limitResponse),
        LendablePercent: spec.limited.lendablePercent ?? null,
        BorrowingLimitPercent: spec.limited.borrowingLimitPercent ?? null,
      }
    : null,
  Exempt: spec?.exempt
    ? {
        NominalConcurrencyShares: spec.exempt.nominalConcurrencyShares ?? null,
        LendablePercent: spec.exempt.lendablePercent ?? null,
      }
    : null,
});

const internalResponse = (
  response: NonNullable<PriorityLevelConfigurationSpec["limited"]>["limitResponse"],
): object => ({
  Type: response?.type ?? "",
  Queuing: response?.queuing
    ? {
        Queues: response.queuing.queues ?? 0,
        HandSize: response.queuing.handSize ?? 0,
        QueueLengthLimit: response.queuing.queueLengthLimit ?? 0,
      }
    : null,
});
