export {
  type AccessQuestion,
  type Authorizer,
  type Decision,
  type HeldRules,
  isPrivileged,
  privilegedGroup,
  type ResourceQuestion,
  type RuleResolver,
} from "./access.js";
export { admissionVariables, type ExpressionScope } from "./admission-expressions/admission-types.js";
export { celTypeFromInfo } from "./admission-expressions/cel-type-from-info.js";
export {
  type CompiledExpression,
  compileAdmissionExpression,
} from "./admission-expressions/compile-admission-expression.js";
export { ComposedVariables } from "./admission-expressions/composed-variables.js";
export {
  type Bindings,
  type Evaluation,
  evaluateExpression,
  OutOfBudget,
} from "./admission-expressions/evaluate-expression.js";
export { configurationType, operationType } from "./admission-expressions/patch-types.js";
export {
  type ConditionUpdate,
  cleanupFinalizer,
  hasCondition,
  withCondition,
} from "./apiextensions/conditions.js";
export { type Availability, localAvailability, withAvailability } from "./apiregistration/availability.js";
export type { BuiltInKind } from "./built-in-kind.js";
export { builtInKinds } from "./built-in-kinds.js";
export { checkEach } from "./check-each.js";
export { AllocationError } from "./core/service/allocation-error.js";
export type { Family } from "./core/service/ip-families.js";
export type {
  AddressOwner,
  AddressPool,
  PortPool,
  ServiceAllocators,
} from "./core/service/service-ledger.js";
export { hasClusterIp, isHeadless, nodePortsOf } from "./core/service/service-traits.js";
export { tlsKeyPairProblem } from "./core/tls-key-pair.js";
export {
  alreadyExists,
  badRequest,
  conflict,
  continueExpired,
  expired,
  forbidden,
  internalError,
  invalid,
  methodNotAllowed,
  noSuchPath,
  notFound,
  noUniqueName,
  objectModified,
  PageNotFound,
  requestCanceled,
  unauthorized,
  unknownError,
  unsupportedMediaType,
} from "./failures.js";
export { type FeatureGate, featureGates, parseFeatureGates } from "./feature-gates.js";
export { invalidBecause, negativeText } from "./field-rules.js";
export {
  allRequests,
  allUsers,
  mandatoryLevels,
  mandatorySchemas,
} from "./flowcontrol/mandatory-configuration.js";
export { goStrings } from "./go-strings.js";
export { ipFamily } from "./ip-address.js";
export {
  boundsOf,
  formatAddress,
  parseAddress,
  parseRange,
  type Range,
  rangeContains,
} from "./network/ip.js";
export {
  type DraftMeta,
  type DraftObject,
  draftAs,
  draftOf,
  type StoredObject,
  storedAs,
  unstored,
} from "./objects.js";
export { setPodCondition } from "./pod/pod-condition.js";
export { qosClassOf } from "./pod/pod-qos.js";
export { aggregateResources } from "./pod/pod-resources.js";
export { isExtended, isHugePages, isPodLevel } from "./pod/resource-names.js";
export { podSpecOf } from "./pod/validate-pod.js";
export { placedContainers } from "./pod/validate-pod-spec.js";
export type { PodLike } from "./pod-security/check.js";
export { violationDetails, violationReasons, violationsOf } from "./pod-security/evaluate.js";
export { podTemplateOf, resourcesWithTemplates } from "./pod-security/pod-template.js";
export {
  compareLevels,
  type LevelVersion,
  levelText,
  policyOf,
  type SecurityLevel,
  type SecurityMode,
  type SecurityPolicy,
  sameLevel,
} from "./pod-security/policy.js";
export { isSignificantChange } from "./pod-security/significant-change.js";
export { roleRules } from "./rbac/role-rules.js";
export { describeRule, uncoveredRules } from "./rbac/rule-cover.js";
export { coversPath, ruleAllows } from "./rbac/rule-match.js";
export { bumpGeneration, keepField, keepMetadata, statusStrategy, withStatus } from "./status-strategy.js";
export { maxWarnings, type Strategy, type Transaction } from "./strategy.js";
export type { StrategyContext } from "./strategy-context.js";
export {
  CustomColumns,
  JsonPath,
  parseIncludeObject,
  partialObjectMetadata,
  partialObjectMetadataList,
  type TableOptions,
  TableWriter,
  tableFor,
} from "./tables/index.js";
export { admin, anonymous, apiServerUser, type UserInfo } from "./user.js";
export { finalizerErrors, standardFinalizerErrors, validateNoNewFinalizers } from "./validate-finalizers.js";
export { annotationErrors, labelErrors } from "./validate-labels.js";
