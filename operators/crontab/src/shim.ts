import type { PodTemplateSpec } from "@kubewright/api";
import { kube } from "@kubewright/schema";
export const podTemplate = () => kube.opaque(kube.PodTemplateSpec).optional();
export const mergePodTemplate = (template: PodTemplateSpec, _given: unknown): PodTemplateSpec => template;
