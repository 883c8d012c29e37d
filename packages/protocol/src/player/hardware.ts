import { z } from 'zod';

const nullableText = z.string().max(200).nullable();
const bytes = z.int().min(0).nullable();

/** Hardware of a device. Null means unknown, never a guess. */
export const hardware = z.object({
  model: nullableText.optional(),
  serial: nullableText.optional(),
  cpu: z.object({ model: nullableText, cores: z.int().min(1).nullable() }).optional(),
  memory_total: bytes.optional(),
  disk_total: bytes.optional(),
  displays: z
    .array(
      z.object({
        name: nullableText,
        width: z.int().min(1).max(100_000),
        height: z.int().min(1).max(100_000),
      }),
    )
    .max(32)
    .optional(),
  network_interfaces: z
    .array(
      z.object({
        name: z.string().max(100),
        kind: z.enum(['wired', 'wireless', 'other']).catch('other'),
        mac: nullableText,
        addresses: z.array(z.string().max(100)).max(32),
        ssid: nullableText,
      }),
    )
    .max(64)
    .optional(),
});

export type Hardware = z.infer<typeof hardware>;
