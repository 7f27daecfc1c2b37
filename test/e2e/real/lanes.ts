/** So many workers test on a real control plane, each on its own: they wait for half of the time. */
export const lanes = 2;
