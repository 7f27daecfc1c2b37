/** So many test on a real control plane, each on one of its own: they wait for half of the time. */
export const workers = 2;
