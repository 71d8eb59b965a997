// Every pod runs as a service account, and finds a token of it in a volume.
import { type Container, generateName, type Pod, type ServiceAccount, type Volume } from "@kubewright/api";
import { draftAs, storedAs } from "../kinds/as-kind.js";
import { cloneJson, type Draft } from "../request/draft.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";
import { written } from "./matches.js";
import { refused } from "./refuse.js";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const mirror = "kubernetes.io/config.mirror";

type PodDraft = Draft<Pod>;
type PodSpecDraft = NonNullable<PodDraft["spec"]>;

export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  resources: ["pods"],
  mutate(request) {
    const object = written(request, "pods", "CREATE");
    if (!object) return;
    const pod = draftAs<Pod>(object);
    if (!pod.spec || pod.metadata?.annotations?.[mirror] !== undefined) return;
    const name = pod.spec.serviceAccountName || "default";
    pod.spec.serviceAccountName = name;
    pod.spec.serviceAccount = name;
    const account = accountOf(request, name);
    if (wantsToken(pod.spec, account)) mountToken(pod.spec, request);
    if ((pod.spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets)
      pod.spec.imagePullSecrets = cloneJson(account.imagePullSecrets);
  },
  validate(request) {
    const object = written(request, "pods", "CREATE");
    if (object) checkMirrorPod(request, draftAs<Pod>(object));
  },
};

function accountOf(request: AdmissionRequest, name: string): ServiceAccount {
  const place = `${request.namespace}/${name}`;
  const found = request.context.services.storage.get("serviceaccounts", place);
  if (found) return storedAs<ServiceAccount>(found);
  throw refused(request, `error looking up service account ${place}: serviceaccount "${name}" not found`);
}

/** The pod's own word counts more than the account's. */
const wantsToken = (spec: PodSpecDraft, account: ServiceAccount): boolean =>
  spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;

/** Containers that mount something there themselves are left alone. */
function mountToken(spec: PodSpecDraft, { context }: AdmissionRequest): void {
  const present = spec.volumes?.find(({ name, projected }) => isTokenName(name) && projected)?.name;
  const name = present ?? generateName("kube-api-access-", context.services.random);
  let used = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (mountsIt(container)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
    used = true;
  }
  if (used && present === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

const isTokenName = (name: string): boolean => name.startsWith("kube-api-access-");

const mountsIt = ({ volumeMounts = [] }: Draft<Container>): boolean =>
  volumeMounts.some((mount) => mount.mountPath === mountPath);

function tokenVolume(name: string): Draft<Volume> {
  const fieldRef = { apiVersion: "v1", fieldPath: "metadata.namespace" };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef }] } },
      ],
      defaultMode: 420,
    },
  };
}

/** Mirror pods show what a kubelet runs on its own: they can refer to nothing in the API. */
function checkMirrorPod(request: AdmissionRequest, { metadata, spec }: PodDraft): void {
  if (!spec || metadata?.annotations?.[mirror] === undefined) return;
  if (spec.serviceAccountName) throw refused(request, "a mirror pod may not reference service accounts");
  for (const volume of spec.volumes ?? []) {
    if (volume.secret) throw refused(request, "a mirror pod may not reference secrets");
    if (volume.projected?.sources?.some((source) => source.serviceAccountToken))
      throw refused(request, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}
