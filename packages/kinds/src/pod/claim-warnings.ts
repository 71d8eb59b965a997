// Claims that ask for parts of a byte.
import { Amount, type PersistentVolumeClaimSpec } from "@kubewright/api";

/** Warnings for what a claim asks for. */
export function claimWarnings({ resources }: PersistentVolumeClaimSpec, field: string): string[] {
  return (["requests", "limits"] as const).flatMap((part) => {
    const quantity = resources?.[part]?.["storage"];
    const amount = quantity === undefined ? undefined : Amount.parse(quantity);
    if (!amount || amount.milliValue() % 1000n === 0n) return [];
    return [
      `${field}.resources.${part}[storage]: fractional byte value "${amount}" is invalid, must be an integer`,
    ];
  });
}
