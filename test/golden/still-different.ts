/** Cases of kube-apiserver-answers.json in which the embedded server does not answer as kube-apiserver does yet. */
export const stillDifferent: ReadonlySet<string> = new Set([
  "pvc-noop-patch-rv",
  "vwc-cabundle-empty-generation",
]);
