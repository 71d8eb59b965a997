// Labels by which the pods of a job are found: with a domain, and as they were before.

export const controllerUidLabel = "batch.kubernetes.io/controller-uid";
export const jobNameLabel = "batch.kubernetes.io/job-name";
export const legacyControllerUidLabel = "controller-uid";
export const legacyJobNameLabel = "job-name";
