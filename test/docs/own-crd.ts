// Files that pages take for granted: those of the note on custom resource definitions.

/** `crontab-crd.yaml`, which readers of the note on CRDs have: a definition with a schema of its own. */
export const cronTabDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct] }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec: { type: string }
              image: { type: string }
              replicas: { type: integer }
`;

/** `my-crontab.yaml`, from the same note. */
export const cronTabObject = `apiVersion: stable.example.com/v1
kind: CronTab
metadata: { name: my-new-cron-object }
spec: { cronSpec: "* * * * * *", image: busybox }
`;
