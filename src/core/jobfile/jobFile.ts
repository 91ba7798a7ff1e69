/**
 * Job files. Load this with import(), never at the top of a file that activation loads: the parser of YAML is heavy. The
 * types alone stand in jobFileProblem.ts.
 */
export { addJob } from './addJob';
export { parseJobFile } from './parseJobFile';
