// Policies that are asked about every object of the standing kinds. They refuse nothing: they warn and label, so that expressions are
// evaluated with whatever is sent.
import type { Sample } from "../robustness/samples.js";

const group = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [
    {
      apiGroups: ["standing.example.com"],
      apiVersions: ["*"],
      operations: ["CREATE", "UPDATE"],
      resources: ["*"],
    },
  ],
};

function of(kind: string, plural: string, spec: object): Sample {
  const apiVersion = "admissionregistration.k8s.io/v1";
  return { path: `${group}/${plural}`, object: { apiVersion, kind, metadata: { name: "standing" }, spec } };
}

/** The policies and what makes them count. */
export const standingPolicies: readonly Sample[] = [
  of("ValidatingAdmissionPolicy", "validatingadmissionpolicies", {
    matchConstraints,
    matchConditions: [{ name: "named", expression: "object.metadata.name != 'e'" }],
    variables: [
      { name: "spec", expression: "has(object.spec) ? object.spec : {}" },
      { name: "tags", expression: "has(object.spec) && has(object.spec.tags) ? object.spec.tags : []" },
    ],
    validations: [
      { expression: "variables.tags.all(t, t.size() < 30)", message: "long tags" },
      { expression: "!has(variables.spec.ports) || variables.spec.ports.map(p, p.name).size() < 9" },
      {
        expression: "oldObject == null || object.metadata.name == oldObject.metadata.name",
        messageExpression: "'was ' + oldObject.metadata.name",
      },
      { expression: "!has(variables.spec.name) || variables.spec.name.matches('^[a-z]+$')" },
      { expression: "authorizer.group('').resource('pods').namespace('default').check('get').allowed()" },
    ],
    auditAnnotations: [{ key: "name", valueExpression: "'of ' + object.metadata.name" }],
    failurePolicy: "Ignore",
  }),
  of("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", {
    policyName: "standing",
    validationActions: ["Warn", "Audit"],
  }),
  of("MutatingAdmissionPolicy", "mutatingadmissionpolicies", {
    matchConstraints,
    failurePolicy: "Ignore",
    reinvocationPolicy: "Never",
    mutations: [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: {
          expression: "Object{metadata: Object.metadata{labels: Object.metadata.labels{seen: 'yes'}}}",
        },
      },
      {
        patchType: "JSONPatch",
        jsonPatch: {
          expression:
            "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/size'), value: 'x'}]",
        },
      },
    ],
  }),
  of("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", { policyName: "standing" }),
];
