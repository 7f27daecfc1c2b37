// What the made-up scene of the page is about: actors in trouble, and an edit that was followed.

export const stuck = 'podclique/inference/deepseek-r1-0-engine-1-worker';
export const parked = 'podcliqueset/research/sweep-07';
export const restarting = 'podgang/research/sweep-07-0';
export const trace = 'k3x-100';

export const minute = 60_000;
