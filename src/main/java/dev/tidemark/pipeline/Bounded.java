package dev.tidemark.pipeline;

import dev.tidemark.gate.Bound;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;

/**
 * A keyed stream beside the bounds, which are for every subtask and have no key. Flink's own connected streams want both
 * sides keyed, or none, or a state that is broadcast: what is broadcast here is gone at the next barrier.
 */
final class Bounded<T, K> {
    private final KeyedStream<T, K> elements;
    private final DataStream<Bound> bounds;

    private Bounded(KeyedStream<T, K> elements, DataStream<Bound> bounds) {
        this.elements = elements;
        this.bounds = bounds;
    }

    /**
     * @param bounds broadcast
     */
    static <T, K> Bounded<T, K> of(KeyedStream<T, K> elements, DataStream<Bound> bounds) {
        return new Bounded<>(elements, bounds);
    }

    /** The stream that an operator makes of both. */
    <R> SingleOutputStreamOperator<R> transform(
            String name, TypeInformation<R> type, TwoInputStreamOperator<T, Bound, R> operator) {
        StreamExecutionEnvironment environment = elements.getExecutionEnvironment();
        TwoInputTransformation<T, Bound, R> transformation = new TwoInputTransformation<>(
                elements.getTransformation(),
                bounds.getTransformation(),
                name,
                SimpleOperatorFactory.of(operator),
                type,
                environment.getParallelism(),
                false);
        transformation.setStateKeySelectors(elements.getKeySelector(), null);
        transformation.setStateKeyType(elements.getKeyType());
        environment.addOperator(transformation);
        return new Transformed<>(environment, transformation);
    }

    /** Only a subclass may make a stream of a transformation. */
    private static final class Transformed<R> extends SingleOutputStreamOperator<R> {
        private Transformed(StreamExecutionEnvironment environment, TwoInputTransformation<?, ?, R> transformation) {
            super(environment, transformation);
        }
    }
}
