// Defaults of containers, in pods and in templates alike.
import type { Container, Draft, EphemeralContainer, Lifecycle, Probe } from "@kubewright/api";
import { roundResources } from "../resource-lists.js";
import { imageTag } from "./image-tag.js";

type HttpGet = NonNullable<Draft<Probe>["httpGet"]>;

/** Fills in pull policy, termination messages, ports, probes, hooks and references to fields. */
export function defaultContainer(container: Draft<Container> | Draft<EphemeralContainer>): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= "v1";
    const file = valueFrom?.fileKeyRef;
    if (file) file.optional ??= false;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  if (container.lifecycle) defaultLifecycle(container.lifecycle);
  roundResources(container.resources?.limits);
  roundResources(container.resources?.requests);
}

/** `latest` moves, so it is pulled every time. */
export const pullPolicyFor = (image: string | undefined): "Always" | "IfNotPresent" =>
  imageTag(image ?? "") === "latest" ? "Always" : "IfNotPresent";

function defaultProbe(probe: Draft<Probe>): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function defaultHttpGet(action: HttpGet): void {
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

function defaultLifecycle({ postStart, preStop }: Draft<Lifecycle>): void {
  for (const hook of [postStart, preStop]) if (hook?.httpGet) defaultHttpGet(hook.httpGet);
}
