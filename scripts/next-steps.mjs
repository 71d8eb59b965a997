// What `make run` prints at the end: what was made, and three commands worth running next.

/** `sample` is an object whose Deployment has its name; kinds are named because `kubectl get all` leaves them out. */
export function nextSteps({ operators, kinds, sample, kubeconfig, dashboard }) {
  const { kind, metadata } = sample;
  return [
    "",
    `${operators} operators run, with the kinds ${kinds.map((each) => each.kind).join(", ")}.`,
    "Try it with kubectl, in another terminal:",
    "",
    `  export KUBECONFIG=${shellWord(kubeconfig)}`,
    `  kubectl get ${kinds.map(({ plural }) => plural).join(",")}`,
    `  kubectl describe ${kind.toLowerCase()} ${metadata.name}        # what its operator reports, and its events`,
    `  kubectl delete deployment ${metadata.name} && kubectl get deployment ${metadata.name} --watch   # its operator puts it back`,
    "",
    `Or see the operators at work: ${dashboard}`,
    "",
    "Ctrl-C stops everything; nothing is kept.",
  ].join("\n");
}

function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
