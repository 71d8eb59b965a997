// Before a service is checked it gets its addresses and ports: those it had, those it asks for, or any.
import { type Draft, fieldError, type Service, type ServiceSpec } from "@kubewright/api";
import { internalError, invalid } from "../../failures.js";
import type { DraftObject, StoredObject } from "../../objects.js";
import { draftAs, storedAs } from "../../objects.js";
import type { Transaction } from "../../strategy.js";
import type { StrategyContext } from "../../strategy-context.js";
import { AllocationError } from "./allocation-error.js";
import { inheritAllocated, syncClusterIps } from "./inherit-allocated.js";
import { keepsPreference, settleIpFamilies } from "./ip-families.js";
import { changeHealthCheckPort, changeNodePorts, giveNodePorts } from "./node-ports.js";
import { ServiceLedger } from "./service-ledger.js";
import { hasClusterIp, isHeadless } from "./service-traits.js";

type SpecDraft = Draft<ServiceSpec>;

/** Allocates for a create or an update; what is taken stays taken only if the write goes through. */
export function allocateService(
  object: DraftObject,
  old: StoredObject | undefined,
  { serviceAllocators, dryRun }: StrategyContext,
): Transaction {
  const spec = draftAs<Service>(object).spec ?? {};
  const before = old && (storedAs<Service>(old).spec ?? {});
  const { metadata } = object;
  const owner = () => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
  const ledger = new ServiceLedger(serviceAllocators, owner, dryRun);
  try {
    allocate(spec, before, metadata.name ?? "", ledger);
    return ledger;
  } catch (error) {
    ledger.revert();
    throw error;
  }
}

function allocate(
  spec: SpecDraft,
  before: ServiceSpec | undefined,
  name: string,
  ledger: ServiceLedger,
): void {
  if (before) inheritAllocated(spec, before);
  syncClusterIps(spec, before);
  const errors = settleIpFamilies(spec, before, ledger.families);
  if (errors.length > 0) throw invalid({ group: "", kind: "Service" }, name, errors);
  if (before) changeAddresses(spec, before, name, ledger);
  else giveAddresses(spec, name, ledger);
  if (before) changeNodePorts(spec, before, name, ledger);
  else giveNodePorts(spec, name, ledger);
  changeHealthCheckPort(spec, before, ledger);
}

/** A service that gets or loses a family gets or loses the address of it; one that becomes an alias loses all of them. */
function changeAddresses(spec: SpecDraft, before: ServiceSpec, name: string, ledger: ServiceLedger): void {
  if (keepsPreference(spec, before)) return;
  if (!hasClusterIp(before)) {
    giveAddresses(spec, name, ledger);
    return;
  }
  if (isHeadless(before)) return;
  const held = before.clusterIPs ?? [];
  if (!hasClusterIp(spec)) for (const address of held) ledger.dropAddress(address);
  const [now, then] = [(spec.ipFamilies ?? []).length, (before.ipFamilies ?? []).length];
  if (then === 1 && now === 2) giveAddresses(spec, name, ledger, held.length);
  if (then === 2 && now === 1) for (const address of held.slice(1)) ledger.dropAddress(address);
}

/** An address of each family; the first few may be there already. */
function giveAddresses(spec: SpecDraft, name: string, ledger: ServiceLedger, held = 0): void {
  if (!hasClusterIp(spec) || isHeadless(spec)) return;
  const asked = spec.clusterIPs ?? [];
  spec.clusterIPs = (spec.ipFamilies ?? []).map((family, index) => {
    const address = asked[index] ?? "";
    if (index < held) return address;
    try {
      return ledger.takeAddress(address, family);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      if (address === "") throw internalError(`failed to allocate a serviceIP: ${error.message}`);
      const text = `failed to allocate IP ${address}: ${error.message}`;
      throw invalid({ group: "", kind: "Service" }, name, [
        fieldError.invalid("spec.clusterIPs", asked, text),
      ]);
    }
  });
  const [first] = spec.clusterIPs;
  if (first !== undefined) spec.clusterIP = first;
}

/** Gives back what a deleted service had. */
export function releaseService(object: StoredObject, { serviceAllocators }: StrategyContext): void {
  const { spec = {} } = storedAs<Service>(object);
  const { addresses, nodePorts } = serviceAllocators;
  if (hasClusterIp(spec) && !isHeadless(spec))
    for (const address of spec.clusterIPs ?? []) addresses.release(address);
  for (const { nodePort } of spec.ports ?? []) if (nodePort) nodePorts.release(nodePort);
  if (spec.healthCheckNodePort) nodePorts.release(spec.healthCheckNodePort);
}
