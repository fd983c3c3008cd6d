/** When something was measured, and how much of it. */
export interface Stamp {
  readonly at: string;
  readonly sizes: 'full' | 'quick' | 'tiny';
}

export const stamp = (sizes: Stamp['sizes']): Stamp => ({ at: new Date().toISOString(), sizes });
