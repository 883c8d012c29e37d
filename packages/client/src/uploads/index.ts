export { uploadFile } from './upload-file.ts';
export type { UploadOptions } from './upload-file.ts';
