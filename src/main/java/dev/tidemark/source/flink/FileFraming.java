package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.source.Content;
import dev.tidemark.source.Framing;
import dev.tidemark.source.JsonLines;
import dev.tidemark.source.avro.AvroContainer;
import java.io.IOException;

/** The records of one file as it was when it was begun. */
final class FileFraming implements Framing {
    private final SourceFolder folder;
    private final String path;
    private final FileMark mark;
    private final Framing framing;
    /** Whether the file was still itself when its first damaged record came. */
    private boolean damageBelieved;

    FileFraming(SourceFolder folder, String path, FileMark mark, Format format, long resumePosition, long resumeOrdinal)
            throws IOException {
        this.folder = folder;
        this.path = path;
        this.mark = mark;
        Content content = new FileContent(folder, path, mark);
        this.framing = format == Format.AVRO
                ? new AvroContainer(path, content, resumePosition, resumeOrdinal)
                : new JsonLines(content, resumePosition, resumeOrdinal);
    }

    @Override
    public boolean next(RawRecord into) throws IOException {
        if (!framing.next(into)) {
            return false;
        }
        // Damage may come of a change while the file is read; then it is the change that stops the job.
        if (into.damage != null && !damageBelieved) {
            folder.unchanged(folder.lookAgain(path), mark);
            damageBelieved = true;
        }
        return true;
    }

    @Override
    public long resumePosition() {
        return framing.resumePosition();
    }

    @Override
    public long resumeOrdinal() {
        return framing.resumeOrdinal();
    }

    @Override
    public void close() throws IOException {
        framing.close();
    }
}
