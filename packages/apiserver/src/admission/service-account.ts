// ServiceAccount: every pod runs as a service account and has its token mounted.

import {
  type Container,
  cloneJson,
  type Draft,
  generateName,
  type Pod,
  type ServiceAccount,
  type Volume,
} from "@kubewright/api";
import { draftAs, storedAs, unknownError } from "@kubewright/kinds";
import { references } from "../auth/node/pod-references.js";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";
import { forbiddenSecret, forbiddenToEphemeral, limitsSecrets } from "./mountable-secrets.js";
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
    if (!pod.spec) return;
    if (isMirror(pod)) return checkMirrorPod(request, pod);
    const name = pod.spec.serviceAccountName || "default";
    pod.spec.serviceAccountName = name;
    pod.spec.serviceAccount = name;
    const account = accountOf(request, name);
    if (wantsToken(pod.spec, account)) mountToken(pod.spec, request);
    if ((pod.spec.imagePullSecrets ?? []).length === 0 && account.imagePullSecrets)
      pod.spec.imagePullSecrets = cloneJson(account.imagePullSecrets);
    checkSecrets(request, pod, account);
  },
  validate(request) {
    if (request.subresource === "ephemeralcontainers") return checkEphemeral(request);
    const object = written(request, "pods", "CREATE");
    if (!object) return;
    const pod = draftAs<Pod>(object);
    if (isMirror(pod)) checkMirrorPod(request, pod);
    else checkSecrets(request, pod, accountOf(request, pod.spec?.serviceAccountName ?? ""));
  },
};

const isMirror = ({ metadata }: PodDraft): boolean => metadata?.annotations?.[mirror] !== undefined;

function checkSecrets(request: AdmissionRequest, pod: PodDraft, account: ServiceAccount): void {
  const problem = limitsSecrets(account) ? forbiddenSecret(account, pod) : undefined;
  if (problem !== undefined) throw refused(request, problem);
}

/** Kubernetes answers this without the reason Forbidden. */
function checkEphemeral(request: AdmissionRequest): void {
  const { kind, operation, object } = request;
  if (kind.group !== "" || kind.plural !== "pods" || operation !== "UPDATE" || !object) return;
  const pod = draftAs<Pod>(object);
  const account = accountOf(request, pod.spec?.serviceAccountName ?? "");
  const problem = limitsSecrets(account) ? forbiddenToEphemeral(account, pod) : undefined;
  if (problem !== undefined) throw unknownError(problem);
}

function accountOf(request: AdmissionRequest, name: string): ServiceAccount {
  if (name === "") {
    const pod = `${request.namespace}/${request.object?.metadata.name ?? ""}`;
    throw refused(request, `no service account specified for pod ${pod}`);
  }
  const place = `${request.namespace}/${name}`;
  const found = request.context.services.storage.get("serviceaccounts", place);
  if (found) return storedAs<ServiceAccount>(found);
  throw refused(request, `error looking up service account ${place}: serviceaccount "${name}" not found`);
}

/** The field of the pod overrides that of the account. */
const wantsToken = (spec: PodSpecDraft, account: ServiceAccount): boolean =>
  spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;

/** Containers that mount something there themselves are left alone. */
function mountToken(spec: PodSpecDraft, { context }: AdmissionRequest): void {
  const present = spec.volumes?.find(({ name }) => isTokenName(name))?.name;
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

/** Mirror pods represent static pods of a kubelet: they may refer to no API objects. */
function checkMirrorPod(request: AdmissionRequest, pod: PodDraft): void {
  const { spec } = pod;
  if (spec?.serviceAccountName) throw refused(request, "a mirror pod may not reference service accounts");
  for (const name of references(pod, "secrets"))
    if (name !== undefined) throw refused(request, "a mirror pod may not reference secrets");
  for (const { projected } of spec?.volumes ?? [])
    if (projected?.sources?.some((source) => source.serviceAccountToken))
      throw refused(request, "a mirror pod may not use ServiceAccountToken volume projections");
}
