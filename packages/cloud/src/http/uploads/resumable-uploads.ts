import type { AuditRecorder, Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { createUploadFinisher } from './finish-uploads.ts';
import { createRunningRequests } from './running-requests.ts';
import { resumableUploadRoutes } from './uploads.ts';

export interface ResumableUploads {
  routes: Route[];
  /** A job: makes assets of the complete uploads that a crash or a failure has left. */
  finishWaiting: () => Promise<void>;
  /** Ends the requests that send bytes; resolves when what they have sent is stored. */
  close: () => Promise<void>;
}

/** Uploads that take several requests. */
export function createResumableUploads(deps: HttpDeps & { recordAudit: AuditRecorder }): ResumableUploads {
  const uploadFinisher = createUploadFinisher(deps);
  const uploadRequests = createRunningRequests();
  return {
    routes: resumableUploadRoutes({ ...deps, uploadFinisher, uploadRequests }),
    finishWaiting: uploadFinisher.finishWaiting,
    async close() {
      await uploadRequests.close();
      await uploadFinisher.close();
    },
  };
}
