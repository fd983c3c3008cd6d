/** How a worker in the process of an embedded engine signs its leases. For people, and to tell who died with the process. */
export const IN_PROCESS = 'embedded:';
