import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.Hierarchy.DefaultHierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** ARX's local suppression of all columns of a CSV file: in each, a value is shown or is *. Arguments: in, k, out. */
public class LocalSuppression {
    // The least share of the rows that one step has to treat: the smaller, the fewer cells are suppressed.
    private static final double STEP = 0.0001;

    public static void main(String[] arguments) throws Exception {
        Data data = Data.create(arguments[0], StandardCharsets.UTF_8, ',');
        DataHandle table = data.getHandle();
        for (int column = 0; column < table.getNumColumns(); column++) {
            TreeSet<String> values = new TreeSet<>();
            for (int row = 0; row < table.getNumRows(); row++) {
                values.add(table.getValue(row, column));
            }
            DefaultHierarchy levels = Hierarchy.create();
            values.forEach(value -> levels.add(value, "*"));
            data.getDefinition().setAttributeType(table.getAttributeName(column), levels);
        }
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(arguments[1])));
        configuration.setSuppressionLimit(1 - STEP);
        configuration.setQualityModel(Metric.createLossMetric(0));
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        DataHandle out = result.getOutput();
        result.optimizeIterativeFast(out, STEP);
        out.save(arguments[2], ',');
    }
}
