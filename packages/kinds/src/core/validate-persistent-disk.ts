// Disks behind PersistentVolumes say more than those of pods: volumes are in no namespace, so what they refer to must be.
import {
  type FieldError,
  fieldError,
  type PersistentVolumeSpec,
  validateDns1123Label,
} from "@kubewright/api";
import { invalidBecause, requiredText } from "../field-rules.js";
import {
  longTarget,
  maxTarget,
  validateIscsiName,
  validateIscsiSession,
} from "../pod/validate-disk-source.js";

/** Namespaces of what the disk refers to. */
export function validateNamespaces(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const { glusterfs, azureFile, cinder, storageos } = spec;
  const endpoints = glusterfs?.endpointsNamespace;
  if (endpoints !== undefined) return endpointErrors(endpoints, `${field}.glusterfs.endpointsNamespace`);
  if (azureFile?.secretNamespace === "") return [fieldError.required(`${field}.azureFile.secretNamespace`)];
  if (cinder?.secretRef)
    return requiredText(cinder.secretRef.namespace, `${field}.cinder.secretRef.namespace`);
  return storageos?.secretRef
    ? requiredText(storageos.secretRef.namespace, `${field}.storageos.secretRef.namespace`)
    : [];
}

function endpointErrors(namespace: string, field: string): FieldError[] {
  const empty = "if the endpointnamespace is set, it must be a valid namespace name";
  return namespace === ""
    ? [fieldError.invalid(field, namespace, empty)]
    : invalidBecause(validateDns1123Label(namespace), namespace, field);
}

const malformed = "must be valid format";

/** A target of iSCSI. */
export function validatePersistentTarget(
  iscsi: NonNullable<PersistentVolumeSpec["iscsi"]>,
  name: string,
  field: string,
): FieldError[] {
  const { targetPortal, iqn, initiatorName, secretRef } = iscsi;
  const isLong = initiatorName !== undefined && `${name}:${targetPortal}`.length > maxTarget;
  return [
    ...requiredText(targetPortal, `${field}.targetPortal`),
    ...(isLong ? [fieldError.invalid(`${field}.targetportal`, targetPortal, longTarget)] : []),
    ...(iqn ? validateIscsiName(iqn, `${field}.iqn`, malformed) : [fieldError.required(`${field}.iqn`)]),
    ...validateIscsiSession(iscsi, field),
    ...(secretRef ? requiredText(secretRef.name, `${field}.secretRef.name`) : []),
    ...(initiatorName === undefined
      ? []
      : validateIscsiName(initiatorName, `${field}.initiatorname`, malformed)),
  ];
}
